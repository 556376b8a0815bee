import { describeFaults, type Fault } from './faults.ts'
import {
  bodyKibMax,
  bodyValuesMax,
  faultsNamedMax,
  headersKibMax,
  nestingMax,
  responsesKeptHours,
  urlKibMax,
} from './sizes.ts'

/** A kind of error: the source of thrown errors, of the description and of the page /errors. */
export interface ErrorKind {
  readonly code: string
  readonly status: number
  /** What happened. */
  readonly title: string
  /** What the client can do about it. The message of a response ends with it, unless the code that throws it knows better. */
  readonly advice: string
}

/** Kinds of errors by code. */
export type ErrorKinds = Readonly<Record<string, ErrorKind>>

export const defineErrors = <Code extends string>(
  kinds: Readonly<Record<Code, Omit<ErrorKind, 'code'>>>,
): Readonly<Record<Code, ErrorKind>> =>
  Object.fromEntries(
    Object.entries<Omit<ErrorKind, 'code'>>(kinds).map(([code, kind]) => [code, { code, ...kind }]),
  ) as Record<Code, ErrorKind>

/** The errors that every service may return. Features define the rest. */
export const apiErrors = defineErrors({
  validation_failed: {
    status: 400,
    title: 'The request is not valid.',
    advice: `The field \`errors\` lists every problem and where it is, up to ${faultsNamedMax}. Correct them all and send the request again.`,
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON.',
    advice: `Send JSON in UTF-8, nested at most ${nestingMax} deep, with at most ${bodyValuesMax} names and values, and each name once per object.`,
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this list, or it belongs to another sort order or other filters.',
    advice: 'Take the `cursor` from the `Link` header of the previous page, and do not change `sort` or the filters.',
  },
  missing_api_key: {
    status: 401,
    title: 'The request has no API key.',
    advice: 'Send the key in the header `X-API-Key`, or as `Authorization: Bearer <key>`.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is mistyped, unknown, expired or revoked.',
    advice: 'Check the key for a typo, or ask an administrator for a new one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key is valid but lacks the scope that this operation requires.',
    advice: 'Use a key that has it, or ask an administrator to add it.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'A page of another website sent the request, which `/mcp` rejects.',
    advice:
      'Call it from a program, or from a page of the service or of this computer, so that `Origin` is one of those or absent.',
  },
  route_not_found: {
    status: 404,
    title: 'There is nothing at this path.',
    advice: 'Compare the path with the OpenAPI document at /openapi.json.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method.',
    advice: 'The header `Allow` lists the methods it supports.',
  },
  not_acceptable: {
    status: 406,
    title: 'The response does not exist in a form that the `Accept` header allows.',
    advice: 'Accept `application/json`, for a stream `text/event-stream`, or leave the header out.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with the same Idempotency-Key is still in progress.',
    advice: 'Wait a moment and send the same request again, with the same key, to get its response.',
  },
  operation_sunset: {
    status: 410,
    title: 'The operation was deprecated and its sunset date has passed.',
    advice: 'Use the successor named in the `Link` header with `rel="successor-version"`.',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource is not in the state that `If-Match` or `If-None-Match` requires.',
    advice:
      'Read it again, apply your change to what you get, and send it with the new ETag. If you sent `If-None-Match: *`, it already exists: use it as it is, or send the request without that header.',
  },
  body_too_large: {
    status: 413,
    title: `The body is larger than ${bodyKibMax} KiB.`,
    advice: 'Send less per request.',
  },
  uri_too_long: {
    status: 414,
    title: `The URL is longer than ${urlKibMax} KiB.`,
    advice: 'Shorten the query string.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not declared as JSON, or it is compressed.',
    advice:
      'Send `Content-Type: application/json` (for PATCH also `application/merge-patch+json`), and no `Content-Encoding`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: `This Idempotency-Key was used for another request within the last ${responsesKeptHours} hours.`,
    advice: 'Use a new key for each new request; repeat a key only with the same path and body.',
  },
  rate_limited: {
    status: 429,
    title: 'The limit for this minute is used up.',
    advice: 'Wait for the number of seconds in `Retry-After`. Requests sent before that count towards a temporary ban.',
  },
  quota_exhausted: {
    status: 429,
    title: 'The quota for this day is used up.',
    advice: 'Wait for the number of seconds in `Retry-After` (midnight UTC), or move to a higher plan.',
  },
  key_banned: {
    status: 429,
    title: 'The API key is temporarily banned, because it continued to send requests after 429.',
    advice: 'Wait for the number of seconds in `Retry-After`. GET /limits shows the ban and costs nothing.',
  },
  headers_too_large: {
    status: 431,
    title: `The request headers are larger than ${headersKibMax} KiB.`,
    advice: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed unexpectedly.',
    advice: 'Retry after a moment; a POST with the same Idempotency-Key. If it keeps failing, report the `requestId`.',
  },
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable.',
    advice: 'Nothing was done. Send the request again after the number of seconds in `Retry-After`.',
  },
  outcome_unknown: {
    status: 503,
    title: 'The connection to the database was lost during the commit, so the request may or may not have been done.',
    advice:
      'If it was a POST with an `Idempotency-Key`, send the same request again after the number of seconds in `Retry-After`: it takes effect only once. Otherwise read first whether it was done.',
  },
})

interface More {
  readonly faults?: Fault[]
  readonly headers?: Record<string, string>
  /** What to do in this case, instead of the advice in the catalogue. */
  readonly advice?: string
}

/** An error that clients see. Anything else that is thrown becomes `internal_error`. */
export class ApiError extends Error {
  constructor(
    readonly kind: ErrorKind,
    /** What happened, and why. */
    readonly what: string = kind.title,
    readonly more: More = {},
  ) {
    // No one reads the stack trace of a rejection, and capturing it is a twentieth of the cost of a rejected request.
    const limitBefore = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    // A list of faults says what to do.
    super(more.faults ? what : `${what} ${more.advice ?? kind.advice}`)
    Error.stackTraceLimit = limitBefore
  }

  get code(): string {
    return this.kind.code
  }

  get status(): number {
    return this.kind.status
  }

  get advice(): string {
    return this.more.advice ?? this.kind.advice
  }
}

/** A 503 for which nothing was done. */
export const unavailable = (what: string, seconds = 1): ApiError =>
  new ApiError(apiErrors.unavailable, what, {
    advice: `Nothing was done. Retry in ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  })

export const outcomeUnknown = (): ApiError =>
  new ApiError(apiErrors.outcome_unknown, undefined, { headers: { 'Retry-After': '1' } })

/** Items of a batch refer to something that does not exist: one fault for each. */
export function unknownInBatch(kind: ErrorKind, faults: Fault[]): ApiError {
  const [first] = faults
  const others = faults.length > 1 ? ` And ${faults.length - 1} more.` : ''
  return new ApiError(kind, `\`${first?.path}\`: ${first?.message}.${others} Nothing was done.`, {
    faults: faults.slice(0, faultsNamedMax),
  })
}

export const validationFailed = (faults: Fault[]): ApiError =>
  new ApiError(apiErrors.validation_failed, describeFaults(faults), { faults: faults.slice(0, faultsNamedMax) })
