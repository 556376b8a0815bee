// The public interface of the package; everything else is internal.
export { headersOf } from './answer.ts'
export { BannedError, type Code, PetStoreError } from './errors.ts'
export type { FollowOptions } from './events.ts'
export type { LimitWindows, Window } from './limit-headers.ts'
export type { List, Page } from './list.ts'
export type {
  CallOptions,
  ChangeOptions,
  Deprecated,
  PetStoreOptions,
  PostOptions,
  ReadOptions,
} from './options.ts'
export { PetStore } from './petstore.ts'
export type * from './schemas.ts'
export { verifyWebhook, WebhookError } from './verify-webhook.ts'
