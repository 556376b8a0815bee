import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { removeStock } from '../pets/move-stock.ts'
import { lockMatchingItem } from './lock.ts'

/** Removes a pet's inventory item. The pet is then out of stock. */
export async function removeInventory(tx: Transaction, call: Call, petId: Id): Promise<void> {
  const { events } = removeStock(tx, await lockMatchingItem(tx, call, petId), call)
  recordEvents(tx, call, events)
}
