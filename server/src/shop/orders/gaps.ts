import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { findOldestTime, scanEvents } from '../../platform/events/log.ts'
import { recordEvent } from '../../platform/events/record.ts'
import { recordChange } from './history.ts'
import { orderEvents } from './operations.ts'
import { showOrder } from './show.ts'
import type { OrderRow } from './store.ts'

// Finds and repairs orders written without history or events, by hand or by another program. The queries scan whole tables: they are only
// for `petstore doctor`.

export interface OrderGaps {
  /** Orders without a history. */
  readonly withoutHistory: readonly OrderRow[]
  /** Complete orders that are still open according to their history. */
  readonly withoutCompletion: readonly OrderRow[]
  /** Deleted orders, known only from stock movements. */
  readonly deleted: readonly DeletedOrder[]
  /** Orders without an `order.placed` event, although older events are still in the log. */
  readonly withoutEvent: readonly OrderRow[]
}

interface DeletedOrder {
  readonly id: number
  readonly pet_id: number
  readonly quantity: number
  readonly placed_at: number
  readonly cancelled_at: number | null
}

const columns = 'o.id, o.key_id, o.pet_id, o.quantity, o.ship_date, o.complete, o.created_at'
const batchSize = 5_000
/** The key id of orders whose key is unknown. */
const unknownKey = 0

const hasLineSql = (kind: string) =>
  `EXISTS (SELECT 1 FROM order_history h WHERE h.order_id = o.id AND h.kind = '${kind}')`

export async function findOrderGaps(db: Queryable): Promise<OrderGaps> {
  return {
    withoutHistory: await db.query<OrderRow>(
      `SELECT ${columns} FROM orders o WHERE NOT ${hasLineSql('placed')} ORDER BY o.id`,
    ),
    // An order may be placed complete.
    withoutCompletion: await db.query<OrderRow>(
      `SELECT ${columns} FROM orders o WHERE o.complete = 1 AND NOT ${hasLineSql('completed')}
         AND EXISTS (SELECT 1 FROM order_history h
           WHERE h.order_id = o.id AND h.kind = 'placed' AND h.changes LIKE '%"complete":{"to":false}%') ORDER BY o.id`,
    ),
    deleted: await db.query<DeletedOrder>(
      `SELECT m.order_id AS id, m.pet_id, -m.delta AS quantity, m.at AS placed_at,
         (SELECT max(c.at) FROM stock_movements c
            WHERE c.pet_id = m.pet_id AND c.cause = 'cancelled' AND c.order_id = m.order_id) AS cancelled_at
       FROM stock_movements m WHERE m.cause = 'ordered'
         AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = m.order_id)
         AND NOT EXISTS (SELECT 1 FROM order_history h WHERE h.order_id = m.order_id) ORDER BY m.id`,
    ),
    withoutEvent: await findOrdersWithoutEvent(db),
  }
}

async function findOrdersWithoutEvent(db: Queryable): Promise<OrderRow[]> {
  const oldest = await findOldestTime(db)
  if (oldest === undefined) return []
  // Read orders before events, so that an order placed in between is not reported.
  const orders = new Map<number, OrderRow>()
  for (let last = 0; ; ) {
    const rows = await db.query<OrderRow>(
      `SELECT ${columns} FROM orders o WHERE o.id > $1 ORDER BY o.id LIMIT ${batchSize}`,
      [last],
    )
    for (const order of rows) if (order.created_at > oldest) orders.set(order.id, order)
    if (rows.length < batchSize) break
    last = rows.at(-1)?.id ?? last
  }
  for await (const { data } of scanEvents(db, orderEvents.placed)) orders.delete(JSON.parse(data).id)
  // Events may have been deleted meanwhile, because they were old.
  const left = (await findOldestTime(db)) ?? Number.POSITIVE_INFINITY
  return [...orders.values()].filter(({ created_at }) => created_at > left)
}

/** Writes the missing lines and events. A line gets the time of the change if that is known, an event the current time. */
export function repairOrders(
  tx: Transaction,
  { withoutHistory, withoutCompletion, deleted, withoutEvent }: OrderGaps,
  now: number,
): void {
  const recordOrderEvent = (type: string, order: OrderRow) =>
    recordEvent(tx, { now }, { type, data: showOrder(order), keyId: order.key_id })
  for (const order of withoutHistory) recordChange(tx, undefined, order, { now: order.created_at })
  for (const order of withoutEvent) recordOrderEvent(orderEvents.placed, order)
  for (const order of withoutCompletion) {
    recordChange(tx, { ...order, complete: 0 }, order, { now })
    recordOrderEvent(orderEvents.completed, order)
  }
  for (const { placed_at, cancelled_at, ...known } of deleted) {
    const order: OrderRow = { ...known, key_id: unknownKey, ship_date: null, complete: 0, created_at: placed_at }
    recordChange(tx, undefined, order, { now: placed_at })
    recordChange(tx, order, undefined, { now: cancelled_at ?? placed_at })
  }
}
