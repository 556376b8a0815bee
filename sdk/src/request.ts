import { etagOf } from './answer.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import type { Method } from './operation.ts'
import type { ChangeOptions, PostOptions, ReadOptions } from './options.ts'

export type AnyOptions = ReadOptions<unknown> & PostOptions & ChangeOptions

/** The headers of a call: key, content type and conditions. */
export function requestHeaders(
  method: Method,
  apiKey: string | undefined,
  hasBody: boolean,
  { known, idempotencyKey, ifMatch }: AnyOptions,
): Record<string, string> {
  const knownTag = known === undefined ? undefined : etagOf(known as object)
  return {
    Accept: 'application/json',
    ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
    ...(hasBody && { 'Content-Type': 'application/json' }),
    // The same for all retries: if the answer to a POST was lost, the retry gets that answer.
    ...(method === 'post' && { 'Idempotency-Key': idempotencyKey ?? newIdempotencyKey() }),
    ...(ifMatch !== undefined && { 'If-Match': etagOf(ifMatch) }),
    ...(knownTag !== undefined && { 'If-None-Match': knownTag }),
  }
}

type Value = string | number | boolean | null | undefined

/** Fills in the path's parameters and appends the query; a list repeats its name. */
export function requestUrl(baseUrl: string, path: string, params: object = {}, query: object = {}): string {
  const values = params as Record<string, Value>
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query as Record<string, Value | readonly Value[]>)) {
    for (const item of [value].flat()) if (item !== undefined && item !== null) search.append(name, String(item))
  }
  const text = search.toString()
  return `${baseUrl}${filledPath}${text && `?${text}`}`
}
