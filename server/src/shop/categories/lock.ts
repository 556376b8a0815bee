import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import { ConstraintViolation, type Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { categoryErrors } from './operations.ts'
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

/** Turns the foreign key violation of a write into `unknown_category`. */
export async function rejectUnknownCategory<T>(categoryId: Id, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    throw new ApiError(categoryErrors.unknown_category, `There is no category ${categoryId}.`)
  }
}
