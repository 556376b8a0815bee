import type { ErrorCode, FieldError } from './names.ts'

/** The service's codes, and those of the client: no response, none in time, one from another server, or one without its secret. */
export type Code = ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_response' | 'secret_missing'

export interface ErrorFields {
  readonly code: Code
  readonly message: string
  readonly status: number
  readonly requestId?: string | undefined
  readonly docs?: string | undefined
  readonly errors?: readonly FieldError[] | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/**
 * Thrown by every failed call; `code` says what happened. Only an aborted call throws its signal's reason instead. The comment of a method
 * lists the errors specific to it. Every call may also fail because the request is invalid (`validation_failed`, `body_too_large`), the
 * key is not accepted (`invalid_api_key`, `missing_api_key`) or out of requests (`rate_limited`, `quota_exhausted`, `key_banned`), the
 * service fails (`unavailable`, `outcome_unknown`, `internal_error`), or no response arrives (`connection_failed`, `timed_out`,
 * `unexpected_response`).
 */
export class PetStoreError extends Error {
  override readonly name: string = 'PetStoreError'
  readonly code: Code
  /** The HTTP status; 0 if no response came. */
  readonly status: number
  /** The id under which the service logged the request. */
  readonly requestId: string | undefined
  /** URL of the page that explains the error. */
  readonly docs: string | undefined
  /** Every fault of a request that failed validation. */
  readonly errors: readonly FieldError[]
  /** How long to wait before a retry, if known. */
  readonly retryAfterMs: number | undefined

  constructor({ code, message, status, requestId, docs, errors = [], retryAfterMs, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.docs = docs
    this.errors = errors
    this.retryAfterMs = retryAfterMs
  }

  /** All fields, for logs: `JSON.stringify` leaves out the message and the cause of a plain Error. */
  toJSON(): object {
    return { ...this, message: this.message, ...(this.cause !== undefined && { cause: describeCause(this.cause) }) }
  }
}

function describeCause(cause: unknown): unknown {
  if (!(cause instanceof Error)) return String(cause)
  const { name, message, code } = cause as Error & { code?: unknown }
  return { name, message, code, ...(cause.cause !== undefined && { cause: describeCause(cause.cause) }) }
}
