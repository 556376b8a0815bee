import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

/** Sends a request below `_sandbox` of the sandbox at this URL, with the key of its host if there is one. */
export async function sendToSandbox(
  { env }: Terminal,
  url: string,
  method: 'GET' | 'POST',
  path: string,
): Promise<Response> {
  const key = env.PETSTORE_SANDBOX_KEY || env.PETSTORE_API_KEY
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
  }).catch((error: unknown) => {
    throw new Failure(
      `${url} did not respond: ${reasonOf(error)}. Start the host with petstore sandbox, or set PETSTORE_URL to your sandbox.`,
      exitCodes.unavailable,
    )
  })
  if (response.status === 401 || response.status === 403) {
    throw new Failure('The host requires a key: set PETSTORE_SANDBOX_KEY, or PETSTORE_API_KEY.', exitCodes.notAllowed)
  }
  return response
}
