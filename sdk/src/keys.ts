import { type List, listAt } from './list.ts'
import type { Body, Query } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { ApiKey, ApiKeyPatch, ApiKeyWithSecret, NewApiKey } from './schemas.ts'
import type { Transport } from './transport.ts'

export const keys = (service: Transport) => ({
  list: (query: Query<'get', '/keys'> = {}, options?: CallOptions): List<ApiKey> =>
    listAt(service, '/keys', { query, options }),

  get: (keyId: number, options?: ReadOptions<ApiKey>): Promise<ApiKey> =>
    service.send('get', '/keys/{keyId}', { params: { keyId }, options }),

  /** The answer has the secret, which is shown this once. */
  create: (key: NewApiKey, options?: PostOptions): Promise<ApiKeyWithSecret> =>
    service.send('post', '/keys', { body: key, options }),

  /** Changes the fields that are given. */
  update: (keyId: number, changes: ApiKeyPatch, options?: ChangeOptions): Promise<ApiKey> =>
    service.send('patch', '/keys/{keyId}', { params: { keyId }, body: changes, options }),

  /** A new secret; the old one goes on for the grace time. */
  rotate: (
    keyId: number,
    how: Body<'post', '/keys/{keyId}/rotate'> = {},
    options?: PostOptions & ChangeOptions,
  ): Promise<ApiKeyWithSecret> =>
    service.send('post', '/keys/{keyId}/rotate', { params: { keyId }, body: how, options }),

  revoke: (keyId: number, options?: ChangeOptions): Promise<void> =>
    service.send('delete', '/keys/{keyId}', { params: { keyId }, options }),

  /** Lifts a ban. */
  unban: (keyId: number, options?: ChangeOptions): Promise<void> =>
    service.send('delete', '/keys/{keyId}/ban', { params: { keyId }, options }),
})
