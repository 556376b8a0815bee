import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvent } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { lockMatchingCategory } from './lock.ts'
import { categoryEvents } from './operations.ts'
import { showCategory } from './show.ts'
import { type CategoryRow, updateCategory } from './store.ts'

export interface CategoryChange {
  readonly name?: string | undefined
  /** null removes it. */
  readonly description?: string | null | undefined
}

/** Updates the given fields; absent fields keep their values. */
export async function changeCategory(
  tx: Transaction,
  call: Call,
  id: Id,
  change: CategoryChange,
): Promise<CategoryRow> {
  const category = await lockMatchingCategory(tx, call, id)
  const { name = category.name, description = category.description } = change
  const changed = { ...category, name, description }
  updateCategory(tx, changed)
  recordEvent(tx, call, { type: categoryEvents.updated, data: showCategory(changed), before: showCategory(category) })
  return changed
}
