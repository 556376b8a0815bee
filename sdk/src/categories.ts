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

  list(query: ListCategoriesQuery = {}, options?: CallOptions): List<Category> {
    return listAt(this.#service, '/categories', { query, options })
  }

  get(categoryId: number, options?: ReadOptions<Category>): Promise<Tagged<Category>> {
    return this.#service.send('get', '/categories/{categoryId}', { params: { categoryId }, options })
  }

  create(category: NewCategory, options?: PostOptions): Promise<Tagged<Category>> {
    return this.#service.send('post', '/categories', { body: category, options })
  }

  /** Changes the given fields. */
  update(categoryId: number, changes: CategoryPatch, options?: ChangeOptions): Promise<Tagged<Category>> {
    return this.#service.send('patch', '/categories/{categoryId}', { params: { categoryId }, body: changes, options })
  }

  /** Replaces all fields. */
  replace(categoryId: number, category: NewCategory, options?: ChangeOptions): Promise<Tagged<Category>> {
    return this.#service.send('put', '/categories/{categoryId}', { params: { categoryId }, body: category, options })
  }

  /** Rejected while the category has pets. */
  delete(categoryId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/categories/{categoryId}', { params: { categoryId }, options })
  }
}
