import { type ErrorFields, PetStoreError } from './errors.ts'

/** The request is wrong, so it would be rejected again: 400, 405, 406, 413, 414, 415, 422 or 431. */
export class InvalidRequestError extends PetStoreError {
  override readonly name = 'InvalidRequestError'
}

/** The API key is missing, wrong, expired or revoked: 401. */
export class AuthenticationError extends PetStoreError {
  override readonly name = 'AuthenticationError'
}

/** The API key lacks the scope: 403. */
export class PermissionDeniedError extends PetStoreError {
  override readonly name = 'PermissionDeniedError'
}

/** There is no such resource: 404. Or the operation is gone: 410. */
export class NotFoundError extends PetStoreError {
  override readonly name = 'NotFoundError'
}

/** The state of the shop does not allow it: 409. */
export class ConflictError extends PetStoreError {
  override readonly name = 'ConflictError'
}

/** The resource has changed since it was read: 412. Read it again. */
export class PreconditionFailedError extends PetStoreError {
  override readonly name = 'PreconditionFailedError'
}

/** The key has no requests left for now: 429. `retryAfterMs` says for how long. */
export class RateLimitedError extends PetStoreError {
  override readonly name: string = 'RateLimitedError'
}

/** The key is banned for a while. Such a call is not retried. */
export class BannedError extends RateLimitedError {
  override readonly name = 'BannedError'
  override readonly code = 'key_banned'
  /** When the ban ends, by this machine's clock. */
  readonly until: Date

  constructor(fields: ErrorFields, until: Date) {
    super(fields)
    this.until = until
  }
}

/** The service failed: 5xx. */
export class ServerError extends PetStoreError {
  override readonly name = 'ServerError'
}

/** No response came (`connection_failed`), or none in time (`timed_out`). */
export class ConnectionError extends PetStoreError {
  override readonly name = 'ConnectionError'
}

/** The response is not from the service, but from a proxy or another server. */
export class UnexpectedResponseError extends PetStoreError {
  override readonly name = 'UnexpectedResponseError'
}

type Kind = new (fields: ErrorFields) => PetStoreError

const kindsByCode: { readonly [code: string]: Kind | undefined } = {
  connection_failed: ConnectionError,
  timed_out: ConnectionError,
  unexpected_response: UnexpectedResponseError,
}

const kindsByStatus: { readonly [status: number]: Kind | undefined } = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  405: InvalidRequestError,
  406: InvalidRequestError,
  409: ConflictError,
  410: NotFoundError,
  412: PreconditionFailedError,
  413: InvalidRequestError,
  414: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitedError,
  431: InvalidRequestError,
}

/** An error of the class for its kind. A code that this version does not know has the class of its status. */
export function createError(fields: ErrorFields): PetStoreError {
  const OtherKind = fields.status >= 500 ? ServerError : PetStoreError
  const Kind = kindsByCode[fields.code] ?? kindsByStatus[fields.status] ?? OtherKind
  return new Kind(fields)
}
