import type { Origin } from '../../platform/api/operation.ts'
import { descending, equals, type Keyset, where } from '../../platform/db/clauses.ts'
import type { Insert, Queryable, Transaction } from '../../platform/db/database.ts'
import { findPage } from '../../platform/db/pages/find-page.ts'
import type { Found } from '../../platform/db/pages/list.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { showOrder } from './show.ts'
import { type OrderEventKind, type OrderHistoryRow, type OrderRow, type Owner, ownedBy } from './store.ts'

/** An order before or after a change; undefined if it does not exist. */
type OrderState = OrderRow | undefined

type NewHistoryRow = Omit<OrderHistoryRow, 'id'> & { readonly order_id: number; readonly key_id: number }

const intoHistory: Insert<NewHistoryRow> = {
  table: 'order_history',
  columns: ['order_id', 'key_id', 'kind', 'changes', 'at', 'by_key_id'],
}

/** Adds a line to the order's history, unless nothing changed. */
export function recordChange(tx: Transaction, before: OrderState, after: OrderState, { now, caller }: Origin): void {
  const order = before ?? after
  const changes = changesBetween(before, after)
  if (!order || !changes) return
  tx.insert(intoHistory, [
    {
      order_id: order.id,
      key_id: order.key_id,
      kind: kindOf(before, after),
      changes: JSON.stringify(changes),
      at: now,
      by_key_id: caller?.keyId ?? null,
    },
  ])
}

function kindOf(before: OrderState, after: OrderState): OrderEventKind {
  if (!before) return 'placed'
  if (!after) return 'cancelled'
  return after.complete ? 'completed' : 'changed'
}

const fields = ['petId', 'quantity', 'shipDate', 'complete'] as const

/** The fields that changed, as clients see them; `from` or `to` is absent if there is no value. Undefined if nothing changed. */
function changesBetween(
  before: OrderState,
  after: OrderState,
): Record<string, { from: unknown; to: unknown }> | undefined {
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

export const historySorts = { '-id': descending({ id: 'integer' }) }

export function findHistory(db: Queryable, owner: Owner, orderId: Id, keyset: Keyset): Promise<Found<OrderHistoryRow>> {
  const select = 'SELECT id, kind, changes, at, by_key_id FROM order_history'
  return findPage(db, { select, where: [equals('order_id', orderId), ownedBy(owner)] }, keyset)
}

/** Whether the order exists or existed. */
export async function hasExisted(db: Queryable, owner: Owner, orderId: Id): Promise<boolean> {
  const { where: inHistory, params } = where([equals('order_id', orderId), ownedBy(owner)])
  const [row] = await db.query(`SELECT 1 AS found FROM order_history ${inHistory} LIMIT 1`, params)
  return row !== undefined
}
