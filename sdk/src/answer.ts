import { BannedError, type ErrorFields, PetStoreError } from './errors.ts'
import { readRetryAfterMs } from './limit-headers.ts'

/** The headers of the answer that an object came with; held only as long as the object is. */
const headersOfResults = new WeakMap<object, Headers>()

/** The headers that came with what a call gave you: `ETag`, `X-Request-Id`, `Idempotent-Replayed` and the rest. */
export const headersOf = (result: object): Headers | undefined => headersOfResults.get(result)

export function etagOf(match: string | object): string {
  const etag = typeof match === 'string' ? match : headersOf(match)?.get('ETag')
  if (!etag) throw new TypeError('This object has no ETag: give one that a call for a single resource answered.')
  return etag
}

/** The JSON of an answer. A success that is none comes from something else than the service. */
export async function readResult(response: Response): Promise<unknown> {
  const text = await response.text()
  if (response.status === 204) return undefined
  const result = parse(text)
  if (typeof result !== 'object' || result === null) throw unexpected(response, text)
  headersOfResults.set(result, response.headers)
  return result
}

export async function readError(response: Response, now: number): Promise<PetStoreError> {
  const text = await response.text()
  const retryAfterMs = readRetryAfterMs(response.headers, now)
  const told = parse(text) as Partial<ErrorFields> | undefined
  if (typeof told?.code !== 'string' || typeof told.message !== 'string') {
    return unexpected(response, text, retryAfterMs)
  }
  const { code, message, requestId, docs, errors } = told
  const fields = { code, message, status: response.status, requestId, docs, errors, retryAfterMs }
  return code === 'key_banned'
    ? new BannedError(fields, new Date(now + (retryAfterMs ?? 0)))
    : new PetStoreError(fields)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unexpected({ status, headers }: Response, text: string, retryAfterMs?: number): PetStoreError {
  return new PetStoreError({
    code: 'unexpected_answer',
    status,
    message: `An answer that is not the service's: ${status} ${text.slice(0, 200)}`,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterMs,
  })
}
