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

  /** The answer contains the secret, which is shown only once; a retry of this call gets it too. */
  create(key: NewApiKey, options?: PostOptions): Promise<ApiKeyWithSecret> {
    return this.#service.send('post', '/keys', { body: key, options })
  }

  /** Changes the given fields. */
  update(keyId: number, changes: ApiKeyPatch, options?: ChangeOptions): Promise<ApiKey> {
    return this.#service.send('patch', '/keys/{keyId}', { params: { keyId }, body: changes, options })
  }

  /** Creates a new secret; the old one works until the grace period ends. */
  rotate(
    keyId: number,
    rotation: Body<'post', '/keys/{keyId}/rotate'> = {},
    options?: PostOptions & ChangeOptions,
  ): Promise<ApiKeyWithSecret> {
    return this.#service.send('post', '/keys/{keyId}/rotate', { params: { keyId }, body: rotation, options })
  }

  revoke(keyId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/keys/{keyId}', { params: { keyId }, options })
  }

  /** Lifts a ban. */
  unban(keyId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/keys/{keyId}/ban', { params: { keyId }, options })
  }
}
