import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { moveStock } from '../pets/move-stock.ts'
import { type InventoryRow, itemOf } from '../pets/show.ts'
import { lockMatchingItem } from './lock.ts'

export interface Adjustment {
  readonly delta: number
  readonly reason?: string | undefined
}

/** Adds to or takes from the current stock count. */
export async function adjustInventory(
  tx: Transaction,
  call: Call,
  petId: Id,
  { delta, reason }: Adjustment,
): Promise<InventoryRow> {
  const pet = await lockMatchingItem(tx, call, petId)
  const moved = moveStock(tx, pet, { delta, cause: 'adjusted', reason, origin: call })
  recordEvents(tx, call, moved.events)
  return itemOf(moved.pet, pet.stock + delta)
}
