import type { Origin } from '../../platform/api/operation.ts'
import type { Insert, Transaction } from '../../platform/db/database.ts'

/** As stored in the database. */
export const stockCauses = [
  'registered',
  'set',
  'adjusted',
  'removed',
  'ordered',
  'order changed',
  'cancelled',
  'archived',
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

export interface MovementRow {
  readonly pet_id: number
  readonly delta: number
  readonly cause: StockCause
  readonly order_id: number | null
  readonly reason: string | null
  readonly at: number
  readonly by_key_id: number | null
}

const intoMovements: Insert<MovementRow> = {
  table: 'stock_movements',
  columns: ['pet_id', 'delta', 'cause', 'order_id', 'reason', 'at', 'by_key_id'],
}

/** Records stock movements, one for each delta but 0. For every pet the deltas add up to the stock. */
export function recordMovements(tx: Transaction, movements: readonly (readonly [petId: number, Movement])[]): void {
  const rows = movements.flatMap(([petId, { delta, cause, order, reason = null, origin }]) =>
    delta === 0
      ? []
      : {
          pet_id: petId,
          delta,
          cause,
          order_id: order?.id ?? null,
          reason,
          at: origin.now,
          by_key_id: origin.caller?.keyId ?? null,
        },
  )
  tx.insert(intoMovements, rows)
}
