import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { moveStock } from '../pets/move-stock.ts'
import { recordChange } from './history.ts'
import { lockOpenOrder } from './lock.ts'
import { orderEvents } from './operations.ts'
import { showOrder } from './show.ts'
import { type OrderRow, updateOrder } from './store.ts'

export interface OrderChange {
  readonly quantity?: number | undefined
  /** null clears it. */
  readonly shipDate?: number | null | undefined
  readonly complete?: boolean | undefined
}

/** Updates an open order, or completes it. If the quantity changes, the difference is taken from stock or returned. */
export async function changeOrder(tx: Transaction, call: Call, id: Id, change: OrderChange): Promise<OrderRow> {
  const { order, pet } = await lockOpenOrder(tx, call, id)
  const { quantity = order.quantity, shipDate = order.ship_date, complete = false } = change
  const changed: OrderRow = { ...order, quantity, ship_date: shipDate, complete: complete ? 1 : 0 }
  const delta = order.quantity - quantity
  const movement = {
    delta,
    cause: 'order changed',
    order,
    origin: call,
    ...(complete && { opens: -1 as const }),
  } as const
  const type = complete ? orderEvents.completed : orderEvents.updated
  const { events } = moveStock(tx, pet, movement)
  const event = { type, data: showOrder(changed), before: showOrder(order), keyId: order.key_id }
  recordEvents(tx, call, [event, ...events])
  updateOrder(tx, changed)
  recordChange(tx, order, changed, call)
  return changed
}
