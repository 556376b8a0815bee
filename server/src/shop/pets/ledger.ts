import type { Origin } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { byHundreds, placeholders } from '../../platform/db/many.ts'

/** As stored in the database. */
export const stockCauses = [
  'registered',
  'set',
  'adjusted',
  'removed',
  'ordered',
  'order changed',
  'cancelled',
] as const
export type StockCause = (typeof stockCauses)[number]

export interface Movement {
  /** How many are added; negative if taken. */
  readonly delta: number
  readonly cause: StockCause
  readonly origin: Origin
  /** The order that causes it. */
  readonly order?: { readonly id: number; readonly key_id: number }
  readonly reason?: string | undefined
  /** The change in the number of open orders. */
  readonly opens?: 1 | 0 | -1
}

/** Writes a ledger line, unless the delta is 0. For every pet the deltas add up to the stock. */
export const recordMovement = (tx: Transaction, petId: number, movement: Movement): void =>
  recordMovements(tx, [[petId, movement]])

/** Writes ledger lines for several pets. */
export function recordMovements(tx: Transaction, movements: readonly (readonly [petId: number, Movement])[]): void {
  for (const batch of byHundreds(movements.filter(([, { delta }]) => delta !== 0))) {
    tx.send(
      `INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at, by_key_id) VALUES ${placeholders(batch.length, 7)}`,
      batch.flatMap(
        ([
          petId,
          {
            delta,
            cause,
            order,
            reason = null,
            origin: { now, caller },
          },
        ]) => [petId, delta, cause, order?.id ?? null, reason, now, caller?.keyId ?? null],
      ),
    )
  }
}
