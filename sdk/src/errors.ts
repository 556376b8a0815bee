import type { ErrorCode, Fault } from './schemas.ts'

/** What the service says, and what only a client can say: no answer, none in time, or one that is not the service's. */
export type Code = ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_answer'

export interface ErrorFields {
  readonly code: Code
  readonly message: string
  readonly status: number
  readonly requestId?: string | undefined
  readonly docs?: string | undefined
  readonly errors?: readonly Fault[] | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Every failed call throws one; `code` tells what happened. Only an aborted call throws its signal's own reason. */
export class PetStoreError extends Error {
  override readonly name: string = 'PetStoreError'
  readonly code: Code
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  /** The service's id of the request: what its operator needs to find it in the log. */
  readonly requestId: string | undefined
  /** Where the error is explained. */
  readonly docs: string | undefined
  /** Every fault of a request that failed validation. */
  readonly errors: readonly Fault[]
  /** How long to wait before it makes sense to try again, where that is known. */
  readonly retryAfterMs: number | undefined

  constructor({ code, message, status, requestId, docs, errors = [], retryAfterMs, cause }: ErrorFields) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.docs = docs
    this.errors = errors
    this.retryAfterMs = retryAfterMs
  }
}

/** The key is banned for a while. Such a call is never repeated by itself. */
export class BannedError extends PetStoreError {
  override readonly name = 'BannedError'
  override readonly code = 'key_banned'
  /** When the ban ends, by this machine's clock. */
  readonly until: Date

  constructor(fields: ErrorFields, until: Date) {
    super(fields)
    this.until = until
  }
}
