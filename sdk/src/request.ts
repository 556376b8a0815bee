import { etagOf } from './answer.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import type { Method } from './operation.ts'
import type { ChangeOptions, PostOptions, ReadOptions } from './options.ts'

export type AnyOptions = ReadOptions<unknown> & PostOptions & ChangeOptions

/** What a call asks of the service besides its body: who calls, and for which state. */
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
    // The same over all attempts, so that a POST whose answer was lost is answered again and not done again.
    ...(method === 'post' && { 'Idempotency-Key': idempotencyKey ?? newIdempotencyKey() }),
    ...(ifMatch !== undefined && { 'If-Match': etagOf(ifMatch) }),
    ...(knownTag !== undefined && { 'If-None-Match': knownTag }),
  }
}

type Value = string | number | boolean | null | undefined

/** Fills in the path's parameters and writes the query; a list is written as repeated names. */
export function requestUrl(baseUrl: string, path: string, params: object = {}, query: object = {}): string {
  const values = params as Record<string, Value>
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query as Record<string, Value | readonly Value[]>)) {
    for (const item of [value].flat()) if (item !== undefined && item !== null) search.append(name, String(item))
  }
  const text = search.toString()
  return `${baseUrl}${filled}${text && `?${text}`}`
}
