import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { moveStock } from '../pets/move-stock.ts'
import { recordChange } from './history.ts'
import { orderEvents } from './kinds.ts'
import { lockOpenOrder } from './lock.ts'
import { showOrder } from './show.ts'
import { deleteOrder } from './store.ts'

/** Deletes an open order and returns its quantity to stock. */
export async function cancelOrder(tx: Transaction, call: Call, id: Id): Promise<void> {
  const { order, pet } = await lockOpenOrder(tx, call, id)
  const movement = { delta: order.quantity, cause: 'cancelled', orderId: order.id, origin: call, opens: -1 } as const
  moveStock(tx, pet, movement, { type: orderEvents.cancelled, data: showOrder(order), keyId: order.key_id })
  deleteOrder(tx, order.id)
  recordChange(tx, order, undefined, call)
}
