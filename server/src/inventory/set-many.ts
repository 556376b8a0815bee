import { unknownInBatch } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { InventoryRow } from '../db/tables.ts'
import { type LockedPet, lockPet } from '../stock/lock.ts'
import { setStock } from '../stock/move.ts'
import { itemOf } from '../stock/show.ts'

export interface StockCount {
  readonly petId: number
  readonly quantity: number
}

/** Sets how many of each of these pets are in stock, all of them or none. */
export async function setInventories(
  tx: Transaction,
  { now }: Call,
  counts: readonly StockCount[],
): Promise<InventoryRow[]> {
  // Locked in the order of their ids, in which the statements are sent: two batches never wait for each other in a circle.
  const inOrder = counts.map(({ petId }) => petId).sort((one, other) => one - other)
  const locked = await Promise.all(inOrder.map((petId) => lockPet(tx, petId)))
  const pets = new Map(locked.flatMap((pet) => (pet ? [[pet.id, pet]] : [])))
  const faults = counts.flatMap(({ petId }, index) =>
    pets.has(petId) ? [] : [{ in: 'body' as const, path: `/${index}/petId`, message: `there is no pet ${petId}` }],
  )
  if (faults.length > 0) throw unknownInBatch('unknown_pet', faults)
  return counts.map(({ petId, quantity }) =>
    itemOf(setStock(tx, pets.get(petId) as LockedPet, quantity, { cause: 'set', now }), quantity),
  )
}
