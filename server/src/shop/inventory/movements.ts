import type { Caller } from '../../platform/api/operation.ts'
import { showOrigin } from '../../platform/api/show-origin.ts'
import { type Clause, descending, equals, type Keyset } from '../../platform/db/clauses.ts'
import type { Queryable, Value } from '../../platform/db/database.ts'
import { findPage } from '../../platform/db/pages/find-page.ts'
import type { Found, List } from '../../platform/db/pages/list.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { type StockCause, stockCauses } from '../pets/movements.ts'

interface StockMovementRow {
  id: number
  delta: number
  cause: StockCause
  order_id: number | null
  reason: string | null
  at: number
  by_key_id: number | null
}

export const movementSorts = { '-at': descending({ at: 'integer', id: 'integer' }) }

interface MovementFilter {
  readonly petId: Id
  readonly causes?: readonly StockCause[] | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** A pet's stock movements. `orderId` is SQL for the order id to show, since not every caller may see every order. */
export function findMovements(
  db: Queryable,
  orderId: { readonly sql: string; readonly params: readonly Value[] },
  { petId, causes = stockCauses, from, to }: MovementFilter,
  keyset: Keyset,
): Promise<Found<StockMovementRow>> {
  const list: List = {
    select: `SELECT id, delta, cause, ${orderId.sql} AS order_id, reason, at, by_key_id FROM stock_movements`,
    params: orderId.params,
    where: [
      equals('pet_id', petId),
      from === undefined ? undefined : ['at >= ?', from],
      to === undefined ? undefined : ['at < ?', to],
    ],
    // Always filtered by cause, so one index serves all movements and those of some causes.
    oneOf: [...new Set(causes)].map((cause): Clause => equals('cause', cause)),
  }
  return findPage(db, list, keyset)
}

/** Whether the pet exists, or existed and had stock. */
export async function hasMovements(db: Queryable, petId: Id): Promise<boolean> {
  const [row] = await db.query(
    `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM pets WHERE id = $1)
       OR EXISTS (SELECT 1 FROM stock_movements WHERE pet_id = $1)`,
    [petId],
  )
  return row !== undefined
}

type Underscored<S extends string> = S extends `${infer A} ${infer B}` ? `${A}_${B}` : S

/** Converts a cause from the database to the API, and back. */
const showCause = (cause: StockCause) => cause.replace(' ', '_') as Underscored<StockCause>
export const parseCause = (cause: Underscored<StockCause>) => cause.replace('_', ' ') as StockCause

/** A stock movement as clients see it. */
export const showMovement = (
  { id, delta, cause, order_id, reason, at, by_key_id }: StockMovementRow,
  caller: Pick<Caller, 'scopes'>,
) => ({
  id,
  delta,
  cause: showCause(cause),
  ...(order_id !== null && { orderId: order_id }),
  ...(reason !== null && { reason }),
  time: new Date(at).toISOString(),
  ...showOrigin(caller, by_key_id),
})
