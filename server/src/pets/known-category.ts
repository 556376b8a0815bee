import { ApiError } from '../api/errors.ts'
import { ConstraintViolation } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'

/** What was written, unless the database knows no such category. */
export async function knownCategory<T>(categoryId: Id, written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    throw new ApiError('unknown_category', `There is no category ${categoryId}.`)
  }
}
