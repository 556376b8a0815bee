import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { moveStock } from '../pets/move-stock.ts'
import { recordChange } from './history.ts'
import { lockOpenOrder } from './lock.ts'
import { orderEvents } from './operations.ts'
import { showOrder } from './show.ts'
import { deleteOrder } from './store.ts'

/** Deletes an open order and returns its quantity to stock. */
export async function cancelOrder(tx: Transaction, call: Call, id: Id): Promise<void> {
  const { order, pet } = await lockOpenOrder(tx, call, id)
  const movement = { delta: order.quantity, cause: 'cancelled', order, origin: call, opens: -1 } as const
  const { events } = moveStock(tx, pet, movement)
  recordEvents(tx, call, [{ type: orderEvents.cancelled, data: showOrder(order), keyId: order.key_id }, ...events])
  deleteOrder(tx, order.id)
  recordChange(tx, order, undefined, call)
}
