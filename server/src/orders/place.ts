import { ApiError } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { OrderRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { lockPet } from '../stock/lock.ts'
import { moveStock } from '../stock/move.ts'
import { recordChange } from './history.ts'
import { insertOrder } from './store.ts'

export interface NewOrder {
  readonly petId: Id
  readonly quantity?: number | undefined
  readonly shipDate?: number | undefined
  readonly complete?: boolean | undefined
}

/** Takes the quantity from the stock of an available pet for an order of the caller. */
export async function placeOrder(tx: Transaction, { caller, now }: Call, order: NewOrder): Promise<OrderRow> {
  const { petId, quantity = 1, shipDate = null, complete = false } = order
  const pet = await lockPet(tx, petId)
  if (!pet) throw new ApiError('unknown_pet', `There is no pet ${petId}.`)
  if (pet.status !== 'available') {
    throw new ApiError('pet_not_available', `Pet ${pet.id} is ${pet.status} and cannot be ordered.`)
  }
  const fields = { quantity, shipDate, complete: complete ? 1 : 0 } as const
  const row = await insertOrder(tx, { keyId: caller.keyId, petId: pet.id, ...fields, now })
  const opens = complete ? {} : { opens: 1 as const }
  const movement = { delta: -quantity, cause: 'ordered', orderId: row.id, now, ...opens } as const
  await Promise.all([moveStock(tx, pet, movement), recordChange(tx, undefined, row, now)])
  return row
}
