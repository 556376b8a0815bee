import { ApiError } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { PetRow, PetStatus } from '../db/tables.ts'
import { record } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import type { LockedPet } from '../stock/lock.ts'
import { showPet } from '../stock/show.ts'
import { type Standing, setByHand, stockSays } from '../stock/status.ts'
import { knownCategory } from './known-category.ts'
import { lockMatchingPet } from './lock.ts'
import { updatePet } from './store.ts'

export interface PetChange {
  readonly name?: string | undefined
  readonly categoryId?: Id | undefined
  readonly status?: PetStatus | undefined
}

/** Sets the fields that are given; the others stay as they are. */
export async function changePet(tx: Transaction, call: Call, id: Id, change: PetChange): Promise<PetRow> {
  const pet = await lockMatchingPet(tx, call, id)
  const { name = pet.name, categoryId = pet.category_id, status } = change
  const standing = status === undefined ? pet : standingByHand(pet, status)
  const fields = { name, categoryId, status: standing.status, held: standing.held }
  const row = await knownCategory(categoryId, updatePet(tx, pet.id, fields))
  record(tx, call, { type: 'pet.updated', data: showPet(row), before: showPet(pet) })
  return row
}

function standingByHand(pet: LockedPet, wanted: PetStatus): Standing {
  const standing = setByHand(pet.status, wanted, stockSays(pet))
  if (standing) return standing
  const why = wanted === 'available' ? 'it has nothing in stock' : 'a sold pet cannot become pending'
  throw new ApiError(
    'invalid_status_transition',
    `Pet ${pet.id} is ${pet.status} and cannot be made ${wanted}: ${why}.`,
  )
}
