import { newIdempotencyKey } from './idempotency-key.ts'
import type { CallOptions, ChangeOptions, PostOptions, QueryValues, ReadOptions } from './options.ts'
import { etagOf } from './response.ts'
import type { Settings } from './settings.ts'

export type AnyOptions = ReadOptions<object> & PostOptions & ChangeOptions

/** A call without types: any method and path. */
export interface AnyCall {
  readonly method: string
  /** May have parameters, such as `/pets/{petId}`. */
  readonly path: string
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly options?: AnyOptions | undefined
  /** How many requests it counts as: 1 unless given, 0 if it costs no quota. */
  readonly cost?: number | undefined
  /** Headers of this operation only. */
  readonly headers?: CallOptions['headers']
}

/** Later headers replace earlier ones of the same name, regardless of case. */
export function requestHeaders(
  { apiKey, headers: clientHeaders }: Settings,
  { method, body, options = {}, headers: operationHeaders }: AnyCall,
): Headers {
  const { known, idempotencyKey, ifMatch } = options
  const headers = new Headers()
  const layers = [
    clientHeaders,
    {
      Accept: 'application/json',
      ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      // The same for all retries: if the response to a POST was lost, the retry gets that response.
      ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey ?? newIdempotencyKey() }),
      ...(ifMatch !== undefined && { 'If-Match': etagOf(ifMatch) }),
      ...(known !== undefined && { 'If-None-Match': etagOf(known) }),
    },
    operationHeaders,
    options.headers,
  ]
  for (const layer of layers) for (const [name, value] of Object.entries(layer ?? {})) headers.set(name, value)
  return headers
}

/** The body as JSON. */
export function requestBody({ method, body }: AnyCall): string | null {
  if (body === undefined) return null
  // Fetch throws the same, but that would look like a network error, which is retried.
  if (method === 'GET' || method === 'HEAD') throw new TypeError(`A ${method} request cannot have a body.`)
  return JSON.stringify(body)
}

/** Fills in the path's parameters and appends the query. */
export function requestUrl({ baseUrl }: Settings, { path, params, query }: AnyCall): string {
  // A complete address could send the key to another service.
  if (!path.startsWith('/')) throw new TypeError(`"${path}" is not a path: it must start with "/".`)
  const values = (params ?? {}) as Readonly<Record<string, unknown>>
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries((query ?? {}) as QueryValues)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null) {
        search.append(name, item instanceof Date ? item.toISOString() : String(item))
      }
    }
  }
  const text = search.toString()
  return `${baseUrl}${filledPath}${text && `${path.includes('?') ? '&' : '?'}${text}`}`
}
