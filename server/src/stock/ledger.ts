import type { Transaction } from '../db/database.ts'
import type { StockCause } from '../db/tables.ts'

export interface Movement {
  /** How many come in, or go out when negative. */
  readonly delta: number
  readonly cause: StockCause
  readonly now: number
  readonly orderId?: number
  readonly reason?: string | undefined
  /** How many orders are opened, or closed when negative, along with it. */
  readonly opens?: 1 | 0 | -1
}

/** A line for each movement: for every pet the deltas add up to what is in stock. What moves nothing has no line. */
export function recordMovement(tx: Transaction, petId: number, movement: Movement): void {
  const { delta, cause, orderId = null, reason = null, now } = movement
  if (delta === 0) return
  tx.send('INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at) VALUES ($1, $2, $3, $4, $5, $6)', [
    petId,
    delta,
    cause,
    orderId,
    reason,
    now,
  ])
}
