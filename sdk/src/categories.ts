import { type List, listAt } from './list.ts'
import type { Query } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { Category, CategoryPatch, NewCategory } from './schemas.ts'
import type { Transport } from './transport.ts'

export const categories = (service: Transport) => ({
  list: (query: Query<'get', '/categories'> = {}, options?: CallOptions): List<Category> =>
    listAt(service, '/categories', { query, options }),

  get: (categoryId: number, options?: ReadOptions<Category>): Promise<Category> =>
    service.send('get', '/categories/{categoryId}', { params: { categoryId }, options }),

  create: (category: NewCategory, options?: PostOptions): Promise<Category> =>
    service.send('post', '/categories', { body: category, options }),

  /** Changes the fields that are given. */
  update: (categoryId: number, changes: CategoryPatch, options?: ChangeOptions): Promise<Category> =>
    service.send('patch', '/categories/{categoryId}', { params: { categoryId }, body: changes, options }),

  /** Replaces all fields. */
  replace: (categoryId: number, category: NewCategory, options?: ChangeOptions): Promise<Category> =>
    service.send('put', '/categories/{categoryId}', { params: { categoryId }, body: category, options }),

  /** Refused while pets are in it. */
  delete: (categoryId: number, options?: ChangeOptions): Promise<void> =>
    service.send('delete', '/categories/{categoryId}', { params: { categoryId }, options }),
})
