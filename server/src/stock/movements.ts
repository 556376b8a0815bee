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

/** A pet's ledger lines. `owner` is the key whose order ids are shown; lines of other keys' orders come without the order id. */
export function findMovements(
  db: Queryable,
  owner: number | 'everyone',
  { petId, causes = stockCauses, from, to }: LedgerFilter,
  keyset: Keyset,
): Promise<Found<StockMovementRow>> {
  const orderId =
    owner === 'everyone'
      ? 'order_id'
      : // One lookup per line: with EXISTS, PostgreSQL may scan all orders of the key instead.
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
    // Always filtered by cause, so one index serves both the whole ledger and a part of it.
    oneOf: [...new Set(causes)].map((cause): Clause => ['cause = ?', cause]),
  }
  return findPage(db, list, keyset)
}

/** Whether the pet exists, or existed and had stock. */
export async function hasLedger(db: Queryable, petId: Id): Promise<boolean> {
  const [row] = await db.query(
    `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM pets WHERE id = $1)
       OR EXISTS (SELECT 1 FROM stock_movements WHERE pet_id = $1)`,
    [petId],
  )
  return row !== undefined
}
