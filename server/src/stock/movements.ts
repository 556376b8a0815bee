import { type Clause, descending, type Keyset } from '../db/clauses.ts'
import type { Queryable } from '../db/database.ts'
import { type Found, findPage, type List } from '../db/find-page.ts'
import { type StockCause, type StockMovementRow, stockCauses } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'

export const movementSorts = { '-at': descending({ at: 'integer', id: 'integer' }) }

interface LedgerFilter {
  readonly petId: Id
  readonly causes?: readonly StockCause[] | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Lines of a pet's ledger. `owner` is whose orders they may name: an order of somebody else is left out, its line is not. */
export function findMovements(
  db: Queryable,
  owner: number | 'everyone',
  { petId, causes = stockCauses, from, to }: LedgerFilter,
  keyset: Keyset,
): Promise<Found<StockMovementRow>> {
  const orderId =
    owner === 'everyone'
      ? 'order_id'
      : // Looked up line by line: with EXISTS, PostgreSQL may read all orders of the key instead.
        `coalesce((SELECT o.id FROM orders o WHERE o.id = stock_movements.order_id AND o.key_id = $1),
           (SELECT h.order_id FROM order_history h WHERE h.order_id = stock_movements.order_id AND h.key_id = $1 LIMIT 1)) AS order_id`
  const list: List = {
    select: `SELECT id, delta, cause, ${orderId}, reason, at FROM stock_movements`,
    params: owner === 'everyone' ? [] : [owner],
    where: [
      ['pet_id = ?', petId],
      from === undefined ? undefined : ['at >= ?', from],
      to === undefined ? undefined : ['at < ?', to],
    ],
    // Always by cause: the one index then serves the whole ledger as well as a part of it.
    oneOf: [...new Set(causes)].map((cause): Clause => ['cause = ?', cause]),
  }
  return findPage(db, list, keyset)
}

/** Whether there is such a pet, or was one that had stock. */
export async function hasLedger(db: Queryable, petId: Id): Promise<boolean> {
  const [row] = await db.query(
    `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM pets WHERE id = $1)
       OR EXISTS (SELECT 1 FROM stock_movements WHERE pet_id = $1)`,
    [petId],
  )
  return row !== undefined
}
