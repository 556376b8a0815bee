// The package's surface: what is not here is nobody's business but ours.
export { headersOf } from './answer.ts'
export { BannedError, type Code, PetStoreError } from './errors.ts'
export type { FollowOptions } from './events.ts'
export type { LimitsTold, Window } from './limit-headers.ts'
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
