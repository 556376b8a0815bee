import { stripControls } from '../controls.ts'
import { exitCodes } from '../exit-codes.ts'
import { exitCodeOf, Failure, reasonOf } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

type Fields = Readonly<Record<string, unknown>>

/** Calls the sandbox at this URL, below `_sandbox`, with the key of its host if there is one. */
export async function callSandbox<T>(
  terminal: Terminal,
  url: string,
  method: 'GET' | 'POST',
  path: string,
): Promise<T> {
  const { ok, status, body } = await send(terminal, url, method, path)
  const { code, message } = body ?? {}
  const isError = typeof code === 'string' && typeof message === 'string'
  if (!body || (!ok && !isError)) {
    throw new Failure(`${url} is not a sandbox: set PETSTORE_URL or --url to its URL.`, exitCodes.unavailable)
  }
  if (ok) return body as T
  throw new Failure(explain(status, body, url), exitCodeOf(status))
}

function explain(status: number, { code, message }: Fields, url: string): string {
  if (status === 401 || status === 403) {
    return 'The host requires a key: set PETSTORE_SANDBOX_KEY, or PETSTORE_API_KEY.'
  }
  // A service that is no sandbox has no such path.
  const isMissing = code === 'sandbox_not_found' || code === 'route_not_found'
  return isMissing
    ? `There is no sandbox at ${url}: set PETSTORE_URL or --url to its URL.`
    : stripControls(String(message))
}

async function send({ env }: Terminal, url: string, method: 'GET' | 'POST', path: string) {
  const key = env.PETSTORE_SANDBOX_KEY || env.PETSTORE_API_KEY
  try {
    const response = await fetch(`${url}/_sandbox/${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        ...(method === 'POST' && { 'Content-Type': 'application/json' }),
        ...(key && { 'X-API-Key': key }),
      },
      ...(method === 'POST' && { body: '{}' }),
      // The key is for this host only.
      redirect: 'manual',
    })
    return { ok: response.ok, status: response.status, body: parseObject(await response.text()) }
  } catch (error) {
    throw new Failure(
      `${url} did not respond: ${reasonOf(error)}. Start the host with petstore sandbox, or set PETSTORE_URL to your sandbox.`,
      exitCodes.unavailable,
    )
  }
}

function parseObject(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
