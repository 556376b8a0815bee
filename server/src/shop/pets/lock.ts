import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { type LockedPet, lockPet } from '../stock/lock.ts'
import { showPet } from '../stock/show.ts'
import { petStatuses } from '../stock/status.ts'
import { petErrors } from './kinds.ts'

export const petNotFound = (id: Id) => new ApiError(petErrors.pet_not_found, `There is no pet ${id}.`)

/** Locks a pet and checks the request's If-Match. */
export async function lockMatchingPet(tx: Transaction, { mustMatch }: Call, id: Id): Promise<LockedPet> {
  const pet = await lockExistingPet(tx, id)
  mustMatch(showPet(pet))
  return pet
}

/** The same for a change that does not set the status: one that follows the stock may have changed, by a sale. */
export async function lockPetToEdit(tx: Transaction, { mustMatch }: Call, id: Id): Promise<LockedPet> {
  const pet = await lockExistingPet(tx, id)
  const statuses = pet.held === 1 ? [] : petStatuses
  mustMatch(showPet(pet), ...statuses.map((status) => showPet({ ...pet, status })))
  return pet
}

async function lockExistingPet(tx: Transaction, id: Id): Promise<LockedPet> {
  const pet = await lockPet(tx, id)
  if (!pet) throw petNotFound(id)
  return pet
}
