import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import { ConstraintViolation, type Transaction } from '../../platform/db/database.ts'
import { recordEvent } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { lockMatchingCategory } from './lock.ts'
import { categoryErrors, categoryEvents } from './operations.ts'
import { showCategory } from './show.ts'
import * as store from './store.ts'

/** Deletes a category that has no pets. */
export async function deleteCategory(tx: Transaction, call: Call, id: Id): Promise<void> {
  const category = await lockMatchingCategory(tx, call, id)
  try {
    await store.deleteCategory(tx, category.id)
  } catch (error) {
    if (error instanceof ConstraintViolation) {
      throw new ApiError(categoryErrors.category_in_use, `Category ${category.id} still has pets.`)
    }
    throw error
  }
  recordEvent(tx, call, { type: categoryEvents.deleted, data: showCategory(category) })
}
