import type { Queryable, Transaction } from '../db/database.ts'
import type { OrderRow } from '../db/tables.ts'
import { record } from '../events/record.ts'
import { recordChange } from './history.ts'
import { showOrder } from './show.ts'

// Changes of orders that were written without their history or their event, as a program did that knew neither. The reads go through
// whole tables: they are for an operator's command.

export interface OrderHoles {
  /** Orders that the history does not know. */
  readonly unplaced: readonly OrderRow[]
  /** Complete orders that were open by their history and were never completed. */
  readonly uncompleted: readonly OrderRow[]
  /** Orders that are gone, known from the ledger alone. */
  readonly vanished: readonly Vanished[]
  /** Orders without the event of their placing, though events of before are kept. */
  readonly untold: readonly OrderRow[]
}

interface Vanished {
  readonly id: number
  readonly pet_id: number
  readonly quantity: number
  readonly placed_at: number
  readonly cancelled_at: number | null
}

const columns = 'o.id, o.key_id, o.pet_id, o.quantity, o.ship_date, o.complete, o.created_at'
const rowsAtOnce = 5_000
/** Stands for a key that is not known. */
const unknownKey = 0

const hasLine = (kind: string) =>
  `EXISTS (SELECT 1 FROM order_history h WHERE h.order_id = o.id AND h.kind = '${kind}')`

export async function findOrderHoles(db: Queryable): Promise<OrderHoles> {
  return {
    unplaced: await db.query<OrderRow>(`SELECT ${columns} FROM orders o WHERE NOT ${hasLine('placed')} ORDER BY o.id`),
    // Lines that were made of orders from before there was a history do not say whether they were open.
    uncompleted: await db.query<OrderRow>(
      `SELECT ${columns} FROM orders o WHERE o.complete = 1 AND NOT ${hasLine('completed')}
         AND EXISTS (SELECT 1 FROM order_history h
           WHERE h.order_id = o.id AND h.kind = 'placed' AND h.changes LIKE '%"complete":{"to":false}%') ORDER BY o.id`,
    ),
    vanished: await db.query<Vanished>(
      `SELECT m.order_id AS id, m.pet_id, -m.delta AS quantity, m.at AS placed_at,
         (SELECT max(c.at) FROM stock_movements c
            WHERE c.pet_id = m.pet_id AND c.cause = 'cancelled' AND c.order_id = m.order_id) AS cancelled_at
       FROM stock_movements m WHERE m.cause = 'ordered'
         AND m.at >= (SELECT applied_at FROM schema_versions WHERE name = 'order history')
         AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = m.order_id)
         AND NOT EXISTS (SELECT 1 FROM order_history h WHERE h.order_id = m.order_id) ORDER BY m.id`,
    ),
    untold: await findUntold(db),
  }
}

async function findUntold(db: Queryable): Promise<OrderRow[]> {
  const [first] = await db.query<{ at: number }>('SELECT at FROM events ORDER BY tx, id LIMIT 1')
  if (!first) return []
  // Orders before events: one that is placed meanwhile is not among the first and may be among the second.
  const orders = new Map<number, OrderRow>()
  for (let last = 0; ; ) {
    const some = await db.query<OrderRow>(
      `SELECT ${columns} FROM orders o WHERE o.id > $1 ORDER BY o.id LIMIT ${rowsAtOnce}`,
      [last],
    )
    for (const order of some) if (order.created_at > first.at) orders.set(order.id, order)
    if (some.length < rowsAtOnce) break
    last = some.at(-1)?.id ?? last
  }
  for (let last = 0; ; ) {
    const some = await db.query<{ id: number; type: string; data: string }>(
      `SELECT id, type, data FROM events WHERE id > $1 ORDER BY id LIMIT ${rowsAtOnce}`,
      [last],
    )
    for (const { type, data } of some) if (type === 'order.placed') orders.delete(JSON.parse(data).id)
    if (some.length < rowsAtOnce) break
    last = some.at(-1)?.id ?? last
  }
  return [...orders.values()]
}

/** Writes the missing lines and events. A line has the time of its change where that is known; an event is of now, when it is told. */
export function mendOrders(
  tx: Transaction,
  { unplaced, uncompleted, vanished, untold }: OrderHoles,
  now: number,
): void {
  const tell = (type: 'order.placed' | 'order.completed', order: OrderRow) =>
    record(tx, { now }, { type, data: showOrder(order), keyId: order.key_id })
  for (const order of unplaced) recordChange(tx, undefined, order, order.created_at)
  for (const order of untold) tell('order.placed', order)
  for (const order of uncompleted) {
    recordChange(tx, { ...order, complete: 0 }, order, now)
    tell('order.completed', order)
  }
  for (const { placed_at, cancelled_at, ...known } of vanished) {
    const order: OrderRow = { ...known, key_id: unknownKey, ship_date: null, complete: 0, created_at: placed_at }
    recordChange(tx, undefined, order, placed_at)
    recordChange(tx, order, undefined, cancelled_at ?? placed_at)
  }
}
