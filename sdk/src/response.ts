import { BannedError, createError } from './error-kinds.ts'
import type { ErrorFields, PetStoreError } from './errors.ts'
import { readRetryAfterMs } from './limit-headers.ts'
import { explainRedirect } from './redirect.ts'

/** The response headers of each result, kept only as long as the result. */
const headersByResult = new WeakMap<object, Headers>()

/** The response headers of a result: `ETag`, `X-Request-Id`, `Idempotent-Replayed` and others. */
export const headersOf = (result: object): Headers | undefined => headersByResult.get(result)

export function etagOf(match: string | object): string {
  const etag = typeof match === 'string' ? match : headersOf(match)?.get('ETag')
  if (!etag)
    throw new TypeError('This object has no ETag: pass the result of a call for a single resource, not a copy.')
  return etag
}

/** The JSON of a response. A success without JSON did not come from the service. */
export async function readResult(response: Response): Promise<unknown> {
  const text = await response.text()
  if (response.status === 204) return undefined
  const result = parse(text)
  if (typeof result !== 'object' || result === null) throw unexpected(response, text)
  headersByResult.set(result, response.headers)
  return result
}

/** A response whose body fails with the signal's reason if the signal is aborted before the body is read. */
export function endWith(signal: AbortSignal | undefined, response: Response): Response {
  if (!signal || !response.body) return response
  return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response)
}

export async function readError(response: Response, now: number): Promise<PetStoreError> {
  const text = await response.text()
  const retryAfterMs = readRetryAfterMs(response.headers, now)
  const fault = parse(text) as Partial<ErrorFields> | undefined
  if (typeof fault?.code !== 'string' || typeof fault.message !== 'string') {
    return unexpected(response, text, retryAfterMs)
  }
  const { code, message, requestId, docs, errors } = fault
  const fields = { code, message, status: response.status, requestId, docs, errors, retryAfterMs }
  return code === 'key_banned' ? new BannedError(fields, new Date(now + (retryAfterMs ?? 0))) : createError(fields)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unexpected(response: Response, text: string, retryAfterMs?: number): PetStoreError {
  const { status } = response
  return createError({
    code: 'unexpected_response',
    status,
    message: explainRedirect(response) ?? `This response is not from the service: ${status} ${text.slice(0, 200)}`,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterMs,
  })
}
