import type { Caller } from '../../platform/api/operation.ts'
import { showOrigin } from '../../platform/api/show-origin.ts'
import type { OrderHistoryRow, OrderRow } from './store.ts'

/** An order as clients and events show it. */
export const showOrder = ({ id, pet_id, quantity, ship_date, complete, created_at }: OrderRow) => ({
  id,
  petId: pet_id,
  quantity,
  shipDate: ship_date === null ? undefined : new Date(ship_date).toISOString(),
  complete: complete === 1,
  placedAt: new Date(created_at).toISOString(),
})

/** The same, with the key that placed it if the caller may see it. */
export const showOrderTo = (order: OrderRow, caller: Pick<Caller, 'scopes'>) => ({
  ...showOrder(order),
  ...showOrigin(caller, order.key_id),
})

/** A line of an order's history as clients see it. */
export const showEvent = ({ id, kind, changes, at, by_key_id }: OrderHistoryRow, caller: Pick<Caller, 'scopes'>) => ({
  id,
  // The table has an older word for it.
  kind: kind === 'changed' ? ('updated' as const) : kind,
  time: new Date(at).toISOString(),
  changes: JSON.parse(changes) as Record<string, { from?: unknown; to?: unknown }>,
  ...showOrigin(caller, by_key_id),
})
