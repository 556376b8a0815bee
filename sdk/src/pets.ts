import { type List, listAt } from './list.ts'
import type {
  CountPetsQuery,
  ListPetsQuery,
  ListProfilesQuery,
  NewPet,
  Pet,
  PetCounts,
  PetPatch,
  PetProfile,
} from './names.ts'
import type { Tagged } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { Transport } from './transport.ts'

export class Pets {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /**
   * The catalogue, page by page.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws PermissionDeniedError without the scope `pets:read`
   * @throws PetStoreError for the errors of every call
   */
  list(query: ListPetsQuery = {}, options?: CallOptions): List<Pet> {
    return listAt(this.#service, '/pets', { query, options })
  }

  /**
   * Pets with their categories and stock, page by page.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws PermissionDeniedError without the scope `pets:read`
   * @throws PetStoreError for the errors of every call
   */
  profiles(query: ListProfilesQuery = {}, options?: CallOptions): List<PetProfile> {
    return listAt(this.#service, '/pets/profiles', { query, options })
  }

  /**
   * A pet with its category and its stock.
   *
   * @throws NotFoundError `pet_not_found`
   * @throws PermissionDeniedError without the scope `pets:read`
   * @throws PetStoreError for the errors of every call
   */
  profile(petId: number, options?: ReadOptions<PetProfile>): Promise<Tagged<PetProfile>> {
    return this.#service.send('get', '/pets/{petId}/profile', { params: { petId }, options })
  }

  /**
   * Get a pet.
   *
   * @deprecated Works until 30 June 2027: use `profile`.
   * @throws NotFoundError `pet_not_found`, `operation_sunset`
   * @throws PermissionDeniedError without the scope `pets:read`
   * @throws PetStoreError for the errors of every call
   */
  get(petId: number, options?: ReadOptions<Pet>): Promise<Tagged<Pet>> {
    return this.#service.send('get', '/pets/{petId}', { params: { petId }, options })
  }

  /**
   * Create a pet.
   *
   * @throws ConflictError `idempotency_in_progress`
   * @throws InvalidRequestError `idempotency_key_reused`, `unknown_category`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  create(pet: NewPet, options?: PostOptions): Promise<Tagged<Pet>> {
    return this.#service.send('post', '/pets', { body: pet, options })
  }

  /**
   * Registers up to 100 pets, all or none. Each costs one request.
   *
   * @throws ConflictError `idempotency_in_progress`
   * @throws InvalidRequestError `idempotency_key_reused`, `unknown_category`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  batch(list: readonly NewPet[], options?: PostOptions): Promise<readonly Pet[]> {
    return this.#service.send('post', '/pets/batch', { body: [...list], cost: Math.max(1, list.length), options })
  }

  /**
   * Changes the given fields.
   *
   * @throws NotFoundError `pet_not_found`
   * @throws ConflictError `invalid_status_transition`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `unknown_category`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  update(petId: number, changes: PetPatch, options?: ChangeOptions): Promise<Tagged<Pet>> {
    return this.#service.send('patch', '/pets/{petId}', { params: { petId }, body: changes, options })
  }

  /**
   * Replaces name and category; without a status, the old one stays.
   *
   * @throws NotFoundError `pet_not_found`
   * @throws ConflictError `invalid_status_transition`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `unknown_category`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  replace(petId: number, pet: NewPet, options?: ChangeOptions): Promise<Tagged<Pet>> {
    return this.#service.send('put', '/pets/{petId}', { params: { petId }, body: pet, options })
  }

  /**
   * Delete a pet.
   *
   * @throws NotFoundError `pet_not_found`
   * @throws ConflictError `pet_has_open_orders`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  delete(petId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/pets/{petId}', { params: { petId }, options })
  }

  /**
   * The number of pets: total, by status and by category.
   *
   * @throws PermissionDeniedError without the scope `pets:read`
   * @throws PetStoreError for the errors of every call
   */
  counts(query: CountPetsQuery = {}, options?: CallOptions): Promise<PetCounts> {
    return this.#service.send('get', '/pets/counts', { query, options })
  }
}
