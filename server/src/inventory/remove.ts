import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { removeStock } from '../stock/move.ts'
import { lockMatchingEntry } from './lock.ts'

/** Stops tracking a pet, which then counts as out of stock. */
export async function removeInventory(tx: Transaction, call: Call, petId: Id): Promise<void> {
  removeStock(tx, await lockMatchingEntry(tx, call, petId), call.now)
}
