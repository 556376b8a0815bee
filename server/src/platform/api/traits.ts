import { z } from 'zod'
import { sunsetAt } from './deprecation.ts'
import { apiErrors, type ErrorKind } from './errors.ts'
import { isStored } from './idempotency.ts'
import type { Operation } from './operation.ts'
import { isIdParam } from './shapes.ts'

/** Everything that follows from the definition of an operation, for the pipeline, validation, responses and the description. */
export interface Traits {
  /** A list with pages. */
  readonly isPaged: boolean
  /** The path parameters, if all of them are ids: these are parsed without a schema. */
  readonly idsInPath: readonly string[] | undefined
  /** Takes path ids and nothing else, like most reads. */
  readonly takesOnlyIds: boolean
  /** Query parameters that take several values. */
  readonly listParameters: ReadonlySet<string>
  /** Returns 304 to If-None-Match while nothing has changed. */
  readonly takesIfNoneMatch: boolean
  /** Honours If-Match: writes something that has an ETag, or something below it. */
  readonly takesIfMatch: boolean
  /** Takes `If-None-Match: *`: creates what does not exist yet. */
  readonly takesIfNoneExists: boolean
  readonly takesIdempotencyKey: boolean
  /** Honours `Last-Event-ID`: the response is a stream, which may be interrupted. */
  readonly takesLastEventId: boolean
  /** The accepted media types of the body; none if there is no body. */
  readonly bodyTypes: readonly string[]
  readonly isBodyOptional: boolean
  /** The time from which it returns 410. */
  readonly sunsetAt: number | undefined
  /** Every error it can return: its own, and those of the stages that its definition implies. */
  readonly errors: readonly ErrorKind[]
  /** The names of the headers that a response with this status may carry, except those of HTTP itself and of CORS. */
  headersOf(status: number): string[]
}

const json = 'application/json'
const mergePatch = 'application/merge-patch+json'

/** The headers of every response. */
export const commonHeaders: readonly string[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Cache-Control',
]

const isList = (field: z.ZodType): boolean =>
  (field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field).meta()?.list !== undefined

const known = new WeakMap<Operation, Traits>()

/** Derived once: a host of many services asks for each of them. */
export const traitsOf = (operation: Operation): Traits => known.getOrInsertComputed(operation, deriveTraits)

function deriveTraits(operation: Operation): Traits {
  const { method, query, body, etag, ifMatch, scope, stability, deprecation, errors = [] } = operation
  const when = <T>(condition: unknown, ...items: T[]): T[] => (condition ? items : [])
  const fields = query instanceof z.ZodObject ? Object.entries(query.shape as Record<string, z.ZodType>) : []
  const inPath = operation.params instanceof z.ZodObject ? operation.params.shape : {}
  const isPaged = fields.some(([name]) => name === 'limit')
  // A POST without an id creates what it returns.
  const isCreation = method === 'post' && operation.params === undefined
  const takesIfMatch = (etag ?? ifMatch) !== undefined && method !== 'get' && !isCreation
  const takesIfNoneExists = method === 'put' && 201 in operation.responses
  const takesIdempotencyKey = method === 'post'
  const idsInPath = Object.values<z.ZodType>(inPath).every(isIdParam) ? Object.keys(inPath) : undefined
  const all = [
    apiErrors.validation_failed,
    ...when(body, apiErrors.malformed_json, apiErrors.body_too_large, apiErrors.unsupported_media_type),
    ...when(isPaged, apiErrors.invalid_cursor),
    apiErrors.missing_api_key,
    apiErrors.invalid_api_key,
    ...when(scope, apiErrors.insufficient_scope),
    apiErrors.not_acceptable,
    ...when(deprecation, apiErrors.operation_sunset),
    ...when(takesIfMatch, apiErrors.precondition_failed),
    ...when(takesIdempotencyKey, apiErrors.idempotency_in_progress, apiErrors.idempotency_key_reused),
    ...errors,
    apiErrors.uri_too_long,
    apiErrors.rate_limited,
    ...when(operation.meter !== 'own', apiErrors.quota_exhausted, apiErrors.key_banned),
    apiErrors.headers_too_large,
    apiErrors.internal_error,
    apiErrors.unavailable,
    ...when(operation.method !== 'get', apiErrors.outcome_unknown),
  ]

  return {
    isPaged,
    idsInPath,
    takesOnlyIds: idsInPath !== undefined && !query && !body && !takesIdempotencyKey,
    listParameters: new Set(fields.filter(([, field]) => isList(field)).map(([name]) => name)),
    takesIfNoneMatch: etag !== undefined && method === 'get',
    takesIfMatch,
    takesIfNoneExists,
    takesIdempotencyKey,
    takesLastEventId: Object.values(operation.responses).some(({ type }) => type === 'text/event-stream'),
    bodyTypes: when(body, ...when(method === 'patch', mergePatch), json),
    isBodyOptional: body instanceof z.ZodPrefault,
    sunsetAt: deprecation && sunsetAt(deprecation),
    errors: all,
    headersOf(status) {
      const isSuccess = status in operation.responses
      const isReplayable = isSuccess || all.some((kind) => kind.status === status && isStored(kind))
      return [
        ...commonHeaders,
        // Not on errors, whose responses all operations share.
        ...when(stability && status < 400, 'X-Stability'),
        ...when(deprecation, 'Deprecation', 'Sunset', 'Link'),
        ...when(etag && status < 400 && status !== 204, 'ETag'),
        // A created resource has a URL; a created batch has none.
        ...when(status === 201 && !(operation.responses[status]?.body instanceof z.ZodArray), 'Location'),
        ...when(isPaged && isSuccess, 'Link'),
        ...when(status === 401, 'WWW-Authenticate'),
        ...when(status === 429 || status === 503, 'Retry-After'),
        ...when(takesIdempotencyKey && isReplayable, 'Idempotent-Replayed'),
      ]
    },
  }
}
