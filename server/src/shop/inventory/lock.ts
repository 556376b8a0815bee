import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { type LockedPet, lockPet } from '../pets/lock.ts'
import { itemOf, showItem } from '../pets/show.ts'
import { inventoryErrors } from './operations.ts'

/** A locked pet that has an inventory item. */
export type PetWithStock = LockedPet & { readonly stock: number }

export const inventoryNotFound = (petId: Id) =>
  new ApiError(inventoryErrors.inventory_not_found, `Pet ${petId} has no inventory item.`)

/** Locks the pet of an inventory item, and checks the request's If-Match against the item. */
export async function lockMatchingItem(tx: Transaction, { mustMatch }: Call, petId: Id): Promise<PetWithStock> {
  const pet = await lockPet(tx, petId)
  if (!pet || !hasStock(pet)) throw inventoryNotFound(petId)
  mustMatch(showItem(itemOf(pet, pet.stock)))
  return pet
}

export const hasStock = (pet: LockedPet): pet is PetWithStock => pet.stock !== undefined
