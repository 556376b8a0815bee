import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { lockPet, petNotFound } from '../pets/lock.ts'
import { setStock } from '../pets/move-stock.ts'
import { type InventoryRow, itemOf, showItem } from '../pets/show.ts'
import { hasStock } from './lock.ts'

/** Sets a pet's stock count. `isNew` says whether this created the inventory item. */
export async function setInventory(
  tx: Transaction,
  call: Call,
  petId: Id,
  quantity: number,
): Promise<{ item: InventoryRow; isNew: boolean }> {
  const pet = await lockPet(tx, petId)
  if (!pet) throw petNotFound(petId)
  call.mustMatch(hasStock(pet) ? showItem(itemOf(pet, pet.stock)) : undefined)
  const moved = setStock(tx, pet, quantity, { cause: 'set', origin: call })
  recordEvents(tx, call, moved.events)
  return { item: itemOf(moved.pet, quantity), isNew: !hasStock(pet) }
}
