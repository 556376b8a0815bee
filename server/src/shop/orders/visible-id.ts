import type { Value } from '../../platform/db/value.ts'
import type { Owner } from './owner.ts'

/** SQL for an order id in `column` if the order belongs to `owner`, null otherwise. Cancelled orders are found in the history. */
export function visibleOrderId(owner: Owner, column: string): { sql: string; params: readonly Value[] } {
  if (owner === 'everyone') return { sql: column, params: [] }
  // One lookup per row: with EXISTS, PostgreSQL may scan all orders of the key instead.
  const sql = `coalesce((SELECT o.id FROM orders o WHERE o.id = ${column} AND o.key_id = $1),
    (SELECT h.order_id FROM order_history h WHERE h.order_id = ${column} AND h.key_id = $1 LIMIT 1))`
  return { sql, params: [owner] }
}
