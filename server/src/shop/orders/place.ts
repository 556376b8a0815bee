import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import { type Awaitable, afterBoth } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { lockPet } from '../pets/lock.ts'
import { moveStock } from '../pets/move-stock.ts'
import { petErrors } from '../pets/operations.ts'
import { recordChange } from './history.ts'
import { orderErrors, orderEvents } from './operations.ts'
import { showOrder } from './show.ts'
import { insertOrder, type OrderRow } from './store.ts'

export interface NewOrder {
  readonly petId: Id
  readonly quantity?: number | undefined
  readonly shipDate?: number | undefined
  readonly complete?: boolean | undefined
}

/** Places an order for the caller and takes its quantity from the stock of an available pet. */
export function placeOrder(tx: Transaction, call: Call, wanted: NewOrder): Awaitable<OrderRow> {
  const { caller, now } = call
  const { petId, quantity = 1, shipDate = null, complete = false } = wanted
  return afterBoth(lockPet(tx, petId), tx.nextId('orders'), (pet, id) => {
    if (!pet) throw new ApiError(petErrors.unknown_pet, `There is no pet ${petId}.`)
    if (pet.status !== 'available') {
      throw new ApiError(
        orderErrors.pet_not_available,
        `${pet.name} (pet ${pet.id}) is ${pet.status} and cannot be ordered.`,
      )
    }
    const order: OrderRow = {
      id,
      key_id: caller.keyId,
      pet_id: pet.id,
      quantity,
      ship_date: shipDate,
      complete: complete ? 1 : 0,
      created_at: now,
    }
    const movement = { delta: -quantity, cause: 'ordered', order, origin: call, opens: complete ? 0 : 1 } as const
    const { events } = moveStock(tx, pet, movement)
    recordEvents(tx, call, [{ type: orderEvents.placed, data: showOrder(order), keyId: caller.keyId }, ...events])
    insertOrder(tx, order)
    recordChange(tx, undefined, order, call)
    return order
  })
}
