// The public interface of the package; everything else is internal.

export {
  AuthenticationError,
  BannedError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  PreconditionFailedError,
  RateLimitedError,
  ServerError,
  UnexpectedResponseError,
} from './error-kinds.ts'
export { type Code, type ErrorFields, PetStoreError } from './errors.ts'
export type { FollowOptions } from './events.ts'
export { newIdempotencyKey } from './idempotency-key.ts'
export type { SetOptions } from './inventory.ts'
export type { LimitWindows, Window } from './limit-headers.ts'
export type { FirstPage, List, Page } from './list.ts'
export type { LogFields, Logger } from './logger.ts'
export type * from './names.ts'
export type { Tagged } from './operation.ts'
export type {
  CallOptions,
  ChangeOptions,
  Deprecated,
  PetStoreOptions,
  PostOptions,
  QueryValues,
  ReadOptions,
  RequestOptions,
} from './options.ts'
export { PetStore } from './petstore.ts'
export { headersOf } from './response.ts'
export { SecretMissingError } from './secret.ts'
export { type VerifyOptions, verifyWebhook, WebhookError, type WebhookHeaders } from './verify-webhook.ts'
