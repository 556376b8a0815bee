import { ApiError } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { type LockedPet, lockPet } from '../stock/lock.ts'
import { itemOf, showItem } from '../stock/show.ts'

/** A locked pet that has an inventory entry. */
export type Stocked = LockedPet & { readonly stock: number }

export const inventoryNotFound = (petId: Id) =>
  new ApiError('inventory_not_found', `Pet ${petId} has no inventory entry.`)

/** The pet of an entry, locked, with the entry in the state it was meant in. */
export async function lockMatchingEntry(tx: Transaction, { mustMatch }: Call, petId: Id): Promise<Stocked> {
  const pet = await lockPet(tx, petId)
  if (!pet || !isStocked(pet)) throw inventoryNotFound(petId)
  mustMatch(showItem(itemOf(pet, pet.stock)))
  return pet
}

export const isStocked = (pet: LockedPet): pet is Stocked => pet.stock !== undefined
