import type { StockCause, StockMovementRow } from '../db/tables.ts'

type Underscored<S extends string> = S extends `${infer A} ${infer B}` ? `${A}_${B}` : S

/** A cause as clients write it, and back. */
const shownCause = (cause: StockCause) => cause.replace(' ', '_') as Underscored<StockCause>
export const storedCause = (cause: Underscored<StockCause>) => cause.replace('_', ' ') as StockCause

/** A line of the ledger as clients see it. */
export const showMovement = ({ id, delta, cause, order_id, reason, at }: StockMovementRow) => ({
  id,
  delta,
  cause: shownCause(cause),
  ...(order_id !== null && { orderId: order_id }),
  ...(reason !== null && { reason }),
  at: new Date(at).toISOString(),
})
