import { unknownInBatch } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { type LockedPet, lockPets } from '../pets/lock.ts'
import { setStocks } from '../pets/move-stock.ts'
import { petErrors } from '../pets/operations.ts'
import { type InventoryRow, itemOf } from '../pets/show.ts'

export interface StockCount {
  readonly petId: Id
  readonly quantity: number
}

/** Sets the stock counts of several pets, all or none. */
export async function setInventories(
  tx: Transaction,
  call: Call,
  counts: readonly StockCount[],
): Promise<InventoryRow[]> {
  const ids = counts.map(({ petId }) => petId)
  const pets = new Map<Id, LockedPet>((await lockPets(tx, ids)).map((pet) => [pet.id, pet]))
  const faults = counts.flatMap(({ petId }, index) =>
    pets.has(petId) ? [] : [{ in: 'body' as const, path: `/${index}/petId`, message: `there is no pet ${petId}` }],
  )
  if (faults.length > 0) throw unknownInBatch(petErrors.unknown_pet, faults)
  call.mustMatch(null)
  const targets = counts.map(({ petId, quantity }) => ({ pet: pets.get(petId) as LockedPet, stock: quantity }))
  const changed = setStocks(tx, targets, { cause: 'set', origin: call })
  recordEvents(tx, call, changed.events)
  return changed.pets.map((pet, index) => itemOf(pet, (counts[index] as StockCount).quantity))
}
