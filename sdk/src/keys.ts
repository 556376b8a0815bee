import { type List, listAt } from './list.ts'
import type { Body, Query } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { ApiKey, ApiKeyPatch, ApiKeyWithSecret, NewApiKey } from './schemas.ts'
import type { Transport } from './transport.ts'

export class Keys {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  list(query: Query<'get', '/keys'> = {}, options?: CallOptions): List<ApiKey> {
    return listAt(this.#service, '/keys', { query, options })
  }

  get(keyId: number, options?: ReadOptions<ApiKey>): Promise<ApiKey> {
    return this.#service.send('get', '/keys/{keyId}', { params: { keyId }, options })
  }

  /** The answer has the secret, which is shown this once; a retry of this call gets it too. */
  create(key: NewApiKey, options?: PostOptions): Promise<ApiKeyWithSecret> {
    return this.#service.send('post', '/keys', { body: key, options })
  }

  /** Changes the fields that are given. */
  update(keyId: number, changes: ApiKeyPatch, options?: ChangeOptions): Promise<ApiKey> {
    return this.#service.send('patch', '/keys/{keyId}', { params: { keyId }, body: changes, options })
  }

  /** A new secret; the old one goes on for the grace time. */
  rotate(
    keyId: number,
    how: Body<'post', '/keys/{keyId}/rotate'> = {},
    options?: PostOptions & ChangeOptions,
  ): Promise<ApiKeyWithSecret> {
    return this.#service.send('post', '/keys/{keyId}/rotate', { params: { keyId }, body: how, options })
  }

  revoke(keyId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/keys/{keyId}', { params: { keyId }, options })
  }

  /** Lifts a ban. */
  unban(keyId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/keys/{keyId}/ban', { params: { keyId }, options })
  }
}
