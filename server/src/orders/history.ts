import { ascending, type Keyset, where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import { type Found, findPage } from '../db/find-page.ts'
import type { OrderEventKind, OrderHistoryRow, OrderRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import type { Owner } from './owner.ts'
import { showOrder } from './show.ts'
import { ownedBy } from './store.ts'

/** An order before or after a change; undefined where there is none. */
type State = OrderRow | undefined

/** A line for what becomes of an order. What changes nothing has no line. */
export function recordChange(tx: Transaction, before: State, after: State, now: number): void {
  const order = before ?? after
  const changes = changesBetween(before, after)
  if (!order || !changes) return
  tx.send('INSERT INTO order_history (order_id, key_id, kind, changes, at) VALUES ($1, $2, $3, $4, $5)', [
    order.id,
    order.key_id,
    kindOf(before, after),
    JSON.stringify(changes),
    now,
  ])
}

function kindOf(before: State, after: State): OrderEventKind {
  if (!before) return 'placed'
  if (!after) return 'cancelled'
  return after.complete ? 'completed' : 'changed'
}

const fields = ['petId', 'quantity', 'shipDate', 'complete'] as const

/**
 * Each field that is not as it was, as clients know it; `from` or `to` is absent where there was or is no value. Undefined when all
 * of them are.
 */
function changesBetween(before: State, after: State): Record<string, { from: unknown; to: unknown }> | undefined {
  const from = before && showOrder(before)
  const to = after && showOrder(after)
  let changes: Record<string, { from: unknown; to: unknown }> | undefined
  for (const field of fields) {
    if (from?.[field] === to?.[field]) continue
    changes ??= {}
    changes[field] = { from: from?.[field], to: to?.[field] }
  }
  return changes
}

export const historySorts = { id: ascending({ id: 'integer' }) }

export function findHistory(db: Queryable, owner: Owner, orderId: Id, keyset: Keyset): Promise<Found<OrderHistoryRow>> {
  const select = 'SELECT id, kind, changes, at FROM order_history'
  return findPage(db, { select, where: [['order_id = ?', orderId], ownedBy(owner)] }, keyset)
}

/** Whether there is such an order, or was one. One that a node of the release before has placed has no history yet. */
export async function wasPlaced(db: Queryable, owner: Owner, orderId: Id): Promise<boolean> {
  const { where: inHistory, params } = where([['order_id = ?', orderId], ownedBy(owner)])
  const { where: inOrders } = where([['id = ?', orderId], ownedBy(owner)], params)
  const [row] = await db.query(
    `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM order_history ${inHistory})
       OR EXISTS (SELECT 1 FROM orders ${inOrders})`,
    params,
  )
  return row !== undefined
}
