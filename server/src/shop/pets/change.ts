import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvent } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { rejectUnknownCategory } from '../categories/lock.ts'
import { type LockedPet, lockMatchingPet, lockPetToEdit } from './lock.ts'
import { petErrors, petEvents } from './operations.ts'
import { showPet } from './show.ts'
import { type PetStatus, type StatusState, setManually, statusFromStock } from './status.ts'
import { type PetRow, updatePet } from './store.ts'

export interface PetChange {
  readonly name?: string | undefined
  readonly categoryId?: Id | undefined
  readonly status?: PetStatus | undefined
}

/** Updates the given fields; absent fields keep their values. */
export async function changePet(tx: Transaction, call: Call, id: Id, change: PetChange): Promise<PetRow> {
  const lock = change.status === undefined ? lockPetToEdit : lockMatchingPet
  const pet = await lock(tx, call, id)
  const { name = pet.name, categoryId = pet.category_id, status } = change
  const state = status === undefined ? pet : stateAfterSetting(pet, status)
  const fields = { name, categoryId, status: state.status, held: state.held }
  const row = await rejectUnknownCategory(categoryId, updatePet(tx, pet.id, fields))
  recordEvent(tx, call, { type: petEvents.updated, data: showPet(row), before: showPet(pet) })
  return row
}

function stateAfterSetting(pet: LockedPet, wanted: PetStatus): StatusState {
  const state = setManually(pet.status, wanted, statusFromStock(pet))
  if (state) return state
  const why = wanted === 'available' ? 'it has nothing in stock' : 'a sold pet cannot become pending'
  throw new ApiError(
    petErrors.invalid_status_transition,
    `Pet ${pet.id} is ${pet.status} and cannot be made ${wanted}: ${why}.`,
  )
}
