import { ApiError } from '../../platform/api/errors.ts'
import { ConstraintViolation } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { categoryErrors } from '../categories/kinds.ts'

/** Turns the foreign key violation of a write into `unknown_category`. */
export async function rejectUnknownCategory<T>(categoryId: Id, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    throw new ApiError(categoryErrors.unknown_category, `There is no category ${categoryId}.`)
  }
}
