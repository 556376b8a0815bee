import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvent } from '../../platform/events/record.ts'
import { categoryEvents } from './operations.ts'
import { showCategory } from './show.ts'
import { type CategoryRow, insertCategory } from './store.ts'

export interface NewCategory {
  readonly name: string
  readonly description?: string | undefined
}

/** Creates a category. */
export async function createCategory(tx: Transaction, call: Call, category: NewCategory): Promise<CategoryRow> {
  const { name, description = null } = category
  const row = await insertCategory(tx, { name, description })
  recordEvent(tx, call, { type: categoryEvents.created, data: showCategory(row) })
  return row
}
