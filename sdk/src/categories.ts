import { type List, listAt } from './list.ts'
import type { Category, CategoryPatch, ListCategoriesQuery, NewCategory } from './names.ts'
import type { Tagged } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { Transport } from './transport.ts'

export class Categories {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /**
   * List categories.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws PermissionDeniedError without the scope `pets:read`
   * @throws PetStoreError for the errors of every call
   */
  list(query: ListCategoriesQuery = {}, options?: CallOptions): List<Category> {
    return listAt(this.#service, '/categories', { query, options })
  }

  /**
   * Get a category.
   *
   * @throws NotFoundError `category_not_found`
   * @throws PermissionDeniedError without the scope `pets:read`
   * @throws PetStoreError for the errors of every call
   */
  get(categoryId: number, options?: ReadOptions<Category>): Promise<Tagged<Category>> {
    return this.#service.send('get', '/categories/{categoryId}', { params: { categoryId }, options })
  }

  /**
   * Create a category.
   *
   * @throws ConflictError `idempotency_in_progress`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  create(category: NewCategory, options?: PostOptions): Promise<Tagged<Category>> {
    return this.#service.send('post', '/categories', { body: category, options })
  }

  /**
   * Changes the given fields.
   *
   * @throws NotFoundError `category_not_found`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  update(categoryId: number, changes: CategoryPatch, options?: ChangeOptions): Promise<Tagged<Category>> {
    return this.#service.send('patch', '/categories/{categoryId}', { params: { categoryId }, body: changes, options })
  }

  /**
   * Replaces all fields.
   *
   * @throws NotFoundError `category_not_found`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  replace(categoryId: number, category: NewCategory, options?: ChangeOptions): Promise<Tagged<Category>> {
    return this.#service.send('put', '/categories/{categoryId}', { params: { categoryId }, body: category, options })
  }

  /**
   * Rejected while the category has pets.
   *
   * @throws NotFoundError `category_not_found`
   * @throws ConflictError `category_in_use`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `pets:write`
   * @throws PetStoreError for the errors of every call
   */
  delete(categoryId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/categories/{categoryId}', { params: { categoryId }, options })
  }
}
