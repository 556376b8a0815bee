import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import { recordMovement } from './ledger.ts'

export interface LedgerGap {
  /** The pet's id. */
  readonly id: number
  /** The difference missing from the ledger. */
  readonly delta: number
}

/** Pets whose ledger does not add up to their stock. Scans the whole ledger. */
export function findLedgerGaps(db: Queryable): Awaitable<LedgerGap[]> {
  return db.query<LedgerGap>(
    `SELECT id, CAST(delta AS bigint) AS delta FROM (
       SELECT id, coalesce((SELECT quantity FROM inventory WHERE pet_id = pets.id), 0)
         - coalesce((SELECT sum(delta) FROM stock_movements WHERE pet_id = pets.id), 0) AS delta FROM pets
     ) AS compared WHERE delta <> 0 ORDER BY id`,
  )
}

/** Orders were taken from the count, so the count is right: adds ledger lines that make up the difference. */
export function repairLedger(tx: Transaction, gaps: readonly LedgerGap[], now: number): void {
  for (const { id, delta } of gaps) {
    recordMovement(tx, id, { delta, cause: 'adjusted', reason: 'petstore doctor --mend', origin: { now } })
  }
}
