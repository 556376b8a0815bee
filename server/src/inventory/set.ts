import { ApiError } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { InventoryRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { lockPet } from '../stock/lock.ts'
import { setStock } from '../stock/move.ts'
import { itemOf, showItem } from '../stock/show.ts'
import { isStocked } from './lock.ts'

/** Sets how many of a pet are in stock, and tells whether that made its entry. */
export async function setInventory(
  tx: Transaction,
  { now, mustMatch }: Call,
  petId: Id,
  quantity: number,
): Promise<{ item: InventoryRow; isNew: boolean }> {
  const pet = await lockPet(tx, petId)
  if (!pet) throw new ApiError('pet_not_found', `There is no pet ${petId}.`)
  mustMatch(isStocked(pet) ? showItem(itemOf(pet, pet.stock)) : undefined)
  const changed = setStock(tx, pet, quantity, { cause: 'set', now })
  return { item: itemOf(changed, quantity), isNew: !isStocked(pet) }
}
