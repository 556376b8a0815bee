import type { Caller } from '../../platform/api/operation.ts'
import { showOrigin } from '../../platform/api/show-origin.ts'
import type { StockCause } from '../pets/ledger.ts'
import type { StockMovementRow } from './movements.ts'

type Underscored<S extends string> = S extends `${infer A} ${infer B}` ? `${A}_${B}` : S

/** Converts a cause from the database to the API, and back. */
const showCause = (cause: StockCause) => cause.replace(' ', '_') as Underscored<StockCause>
export const parseCause = (cause: Underscored<StockCause>) => cause.replace('_', ' ') as StockCause

/** A ledger line as clients see it. */
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
