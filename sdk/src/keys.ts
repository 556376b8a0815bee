import { type List, listAt } from './list.ts'
import type { ApiKey, ApiKeyPatch, ApiKeyWithSecret, ListKeysQuery, NewApiKey, RotateKey } from './names.ts'
import type { Tagged } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import { withSecret } from './secret.ts'
import type { Transport } from './transport.ts'

export class Keys {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /**
   * List keys.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws PermissionDeniedError without the scope `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  list(query: ListKeysQuery = {}, options?: CallOptions): List<ApiKey> {
    return listAt(this.#service, '/keys', { query, options })
  }

  /**
   * Get a key.
   *
   * @throws NotFoundError `key_not_found`
   * @throws PermissionDeniedError without the scope `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  get(keyId: number, options?: ReadOptions<ApiKey>): Promise<Tagged<ApiKey>> {
    return this.#service.send('get', '/keys/{keyId}', { params: { keyId }, options })
  }

  /**
   * The response contains the secret, which is shown only once; a retry of this call gets it too.
   *
   * @throws ConflictError `idempotency_in_progress`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  create(key: NewApiKey, options?: PostOptions): Promise<Tagged<ApiKeyWithSecret>> {
    return withSecret('key', this.#service.send('post', '/keys', { body: key, options }))
  }

  /**
   * Changes the given fields.
   *
   * @throws NotFoundError `key_not_found`
   * @throws ConflictError `last_admin_key`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  update(keyId: number, changes: ApiKeyPatch, options?: ChangeOptions): Promise<Tagged<ApiKey>> {
    return this.#service.send('patch', '/keys/{keyId}', { params: { keyId }, body: changes, options })
  }

  /**
   * Creates a new secret; the old one works until the grace period ends.
   *
   * @throws NotFoundError `key_not_found`
   * @throws ConflictError `idempotency_in_progress`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  rotate(
    keyId: number,
    rotation: RotateKey = {},
    options?: PostOptions & ChangeOptions,
  ): Promise<Tagged<ApiKeyWithSecret>> {
    return withSecret(
      'key',
      this.#service.send('post', '/keys/{keyId}/rotate', { params: { keyId }, body: rotation, options }),
    )
  }

  /**
   * Revoke a key.
   *
   * @throws NotFoundError `key_not_found`
   * @throws ConflictError `last_admin_key`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  revoke(keyId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/keys/{keyId}', { params: { keyId }, options })
  }

  /**
   * Lifts a ban.
   *
   * @throws NotFoundError `key_not_found`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  unban(keyId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/keys/{keyId}/ban', { params: { keyId }, options })
  }
}
