import { validationFailed } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { moveStock } from '../pets/move-stock.ts'
import { type InventoryRow, itemOf } from '../pets/show.ts'
import { lockMatchingItem } from './lock.ts'

/**
 * No stock is added beyond this. It is below 2^53 so that counts stay exact, with enough room for all open orders, whose quantities
 * return to stock when they are cancelled.
 */
const countMax = 9_000_000_000_000_000

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
  if (delta > 0 && pet.stock + delta > countMax) {
    throw validationFailed([{ in: 'body', path: '/delta', message: `must leave at most ${countMax} in stock` }])
  }
  const changed = moveStock(tx, pet, { delta, cause: 'adjusted', reason, origin: call })
  return itemOf(changed, pet.stock + delta)
}
