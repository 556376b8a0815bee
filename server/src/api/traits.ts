import { z } from 'zod'
import { sunsetAt } from './deprecation.ts'
import { type ErrorCode, errorCatalogue } from './errors.ts'
import type { Operation } from './operation.ts'

/** All that follows from the definition of an operation. Corridor, validation, answers and description read it here. */
export interface Traits {
  /** A list that is read page by page. */
  readonly isPaged: boolean
  /** If-None-Match is answered with 304 while nothing has changed. */
  readonly takesIfNoneMatch: boolean
  /** If-Match is honoured: the write is of something that exists and has a tag. */
  readonly takesIfMatch: boolean
  readonly takesIdempotencyKey: boolean
  /** The media types a body may have; none where there is no body. */
  readonly bodyTypes: readonly string[]
  readonly isBodyOptional: boolean
  /** The moment from which it answers 410. */
  readonly sunsetAt: number | undefined
  /** Every error it can give: its own, and those of each step that its definition sends it through. */
  readonly errors: readonly ErrorCode[]
  /** Whether an answer with this status may be a stored one: a success, or a refusal by the operation itself. */
  isReplayable(status: number): boolean
  /** The names of the headers that an answer with this status may carry. */
  headersOf(status: number): string[]
}

const json = 'application/json'
const mergePatch = 'application/merge-patch+json'

const onEveryAnswer = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
]

export function traitsOf(operation: Operation): Traits {
  const { method, query, body, etag, scope, stability, deprecation, errors = [] } = operation
  const when = <T>(condition: unknown, ...items: T[]): T[] => (condition ? items : [])
  const isPaged = query instanceof z.ZodObject && 'cursor' in query.shape
  const takesIfMatch = etag !== undefined && ['put', 'patch', 'delete'].includes(method)
  const takesIdempotencyKey = method === 'post'
  const isReplayable = (status: number) =>
    takesIdempotencyKey && (status < 300 || errors.some((code) => errorCatalogue[code].status === status))

  return {
    isPaged,
    takesIfNoneMatch: etag !== undefined && method === 'get',
    takesIfMatch,
    takesIdempotencyKey,
    bodyTypes: when(body, ...when(method === 'patch', mergePatch), json),
    isBodyOptional: body instanceof z.ZodPrefault,
    sunsetAt: deprecation && sunsetAt(deprecation),
    errors: [
      'validation_failed',
      ...when<ErrorCode>(body, 'malformed_json', 'body_too_large', 'unsupported_media_type'),
      ...when<ErrorCode>(isPaged, 'invalid_cursor'),
      'missing_api_key',
      'invalid_api_key',
      ...when<ErrorCode>(scope, 'insufficient_scope'),
      'not_acceptable',
      ...when<ErrorCode>(deprecation, 'operation_sunset'),
      ...when<ErrorCode>(takesIfMatch, 'precondition_failed'),
      ...when<ErrorCode>(takesIdempotencyKey, 'idempotency_in_progress', 'idempotency_key_reused'),
      ...errors,
      'uri_too_long',
      'rate_limited',
      ...when<ErrorCode>(operation.meter !== 'own', 'quota_exhausted', 'key_banned'),
      'headers_too_large',
      'internal_error',
      'unavailable',
    ],
    isReplayable,
    headersOf(status) {
      const isSuccess = status < 300
      return [
        ...onEveryAnswer,
        ...when(stability, 'X-Stability'),
        ...when(deprecation, 'Deprecation', 'Sunset', 'Link'),
        ...when(etag && (status === 304 || (isSuccess && status !== 204)), 'ETag'),
        ...when(status === 201, 'Location'),
        ...when(isSuccess && isPaged, 'Link'),
        ...when(isReplayable(status), 'Idempotent-Replayed'),
        ...when(status === 401, 'WWW-Authenticate'),
        ...when(status === 429 || status === 503, 'Retry-After'),
      ]
    },
  }
}
