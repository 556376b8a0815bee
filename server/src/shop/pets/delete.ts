import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { lockMatchingPet } from './lock.ts'
import { removeLastStock } from './move-stock.ts'
import { petErrors, petEvents } from './operations.ts'
import { showPet } from './show.ts'
import * as store from './store.ts'

/** Deletes a pet and its stock, unless it has open orders. */
export async function deletePet(tx: Transaction, call: Call, id: Id): Promise<void> {
  const pet = await lockMatchingPet(tx, call, id)
  if (pet.openOrders > 0) {
    throw new ApiError(petErrors.pet_has_open_orders, `Pet ${pet.id} has open orders.`)
  }
  const events = removeLastStock(tx, pet, call)
  recordEvents(tx, call, [{ type: petEvents.deleted, data: showPet(pet) }, ...events])
  store.deletePet(tx, pet.id)
}
