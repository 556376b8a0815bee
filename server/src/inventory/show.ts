import type { InventoryRow, PetRow, StockCause, StockMovementRow } from '../db/tables.ts'

/** A stock count as clients see it. */
export const showItem = ({ id, quantity, status }: InventoryRow) => ({ petId: id, quantity, status })

/** The row of a pet that is in stock. */
export const itemOf = ({ id, status }: PetRow, quantity: number): InventoryRow => ({ id, quantity, status })

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
