import { readVariable } from '../environment.ts'
import { explainRedirect } from '../redirect.ts'
import { spawnHost } from './spawn-host.ts'

/** A program that serves sandboxes. */
export interface Host {
  readonly url: string
  /** Sends a request to the host. Throws if the host rejects it. */
  call<T>(method: string, url: string, body?: object): Promise<T>
}

let spawned: Promise<string> | undefined

/** The host at the given address or that of PETSTORE_SANDBOX_URL, or one that this process starts, once. */
export async function findHost(given: string | undefined): Promise<Host> {
  const known = given ?? readVariable('PETSTORE_SANDBOX_URL')
  if (known === undefined) {
    spawned ??= spawnHost().catch((error) => {
      spawned = undefined
      throw error
    })
  }
  const url = (known ?? (await spawned) ?? '').replace(/\/+$/, '')
  return { url, call: callHost }
}

async function callHost<T>(method: string, url: string, body?: object): Promise<T> {
  const key = readVariable('PETSTORE_SANDBOX_KEY')
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      Accept: 'application/json',
      ...(key && { 'X-API-Key': key }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`No sandbox host responds at ${url}. Start one with \`petstore sandbox\`.`, { cause })
  })
  const text = await response.text()
  if (!response.ok) {
    const reason = explainRedirect(response) ?? `${response.status} ${text}`
    throw new Error(`The sandbox host rejected ${method} ${url}: ${reason}`)
  }
  return (text === '' ? undefined : JSON.parse(text)) as T
}
