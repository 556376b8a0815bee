import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import { recordMovements } from './movements.ts'

export interface MovementGap {
  /** The pet's id. */
  readonly id: number
  /** The difference that no movement explains. */
  readonly delta: number
}

/** Pets whose stock movements do not add up to their stock. Scans all movements. */
export function findMovementGaps(db: Queryable): Awaitable<MovementGap[]> {
  return db.query<MovementGap>(
    `SELECT id, CAST(delta AS bigint) AS delta FROM (
       SELECT id, coalesce((SELECT quantity FROM inventory WHERE pet_id = pets.id), 0)
         - coalesce((SELECT sum(delta) FROM stock_movements WHERE pet_id = pets.id), 0) AS delta FROM pets
     ) AS compared WHERE delta <> 0 ORDER BY id`,
  )
}

/** Orders were taken from the count, so the count is right: adds movements that make up the difference. */
export function repairMovements(tx: Transaction, gaps: readonly MovementGap[], now: number): void {
  for (const { id, delta } of gaps) {
    const movement = { delta, cause: 'adjusted', reason: 'petstore doctor --mend', origin: { now } } as const
    recordMovements(tx, [[id, movement]])
  }
}
