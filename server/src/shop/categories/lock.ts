import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { categoryErrors } from './kinds.ts'
import { showCategory } from './show.ts'
import { type CategoryRow, lockCategory } from './store.ts'

export const categoryNotFound = (id: Id) =>
  new ApiError(categoryErrors.category_not_found, `There is no category ${id}.`)

/** Locks a category and checks the request's If-Match. */
export async function lockMatchingCategory(tx: Transaction, { mustMatch }: Call, id: Id): Promise<CategoryRow> {
  const category = await lockCategory(tx, id)
  if (!category) throw categoryNotFound(id)
  mustMatch(showCategory(category))
  return category
}
