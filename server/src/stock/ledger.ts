import type { Transaction } from '../db/database.ts'
import { byHundreds, placeholders } from '../db/many.ts'
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
export const recordMovement = (tx: Transaction, petId: number, movement: Movement): void =>
  recordMovements(tx, [[petId, movement]])

/** The same of movements of several pets. */
export function recordMovements(tx: Transaction, movements: readonly (readonly [petId: number, Movement])[]): void {
  for (const some of byHundreds(movements.filter(([, { delta }]) => delta !== 0))) {
    tx.send(
      `INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at) VALUES ${placeholders(some.length, 6)}`,
      some.flatMap(([petId, { delta, cause, orderId = null, reason = null, now }]) => [
        petId,
        delta,
        cause,
        orderId,
        reason,
        now,
      ]),
    )
  }
}
