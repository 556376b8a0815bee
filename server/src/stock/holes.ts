import type { Queryable, Transaction } from '../db/database.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { recordMovement } from './ledger.ts'

export interface LedgerHole {
  /** The pet's. */
  readonly id: number
  /** What the ledger lacks. */
  readonly delta: number
}

/** Pets whose ledger does not add up to what is in stock. Goes through the whole ledger. */
export function findLedgerHoles(db: Queryable): Awaitable<LedgerHole[]> {
  return db.query<LedgerHole>(
    `SELECT id, CAST(delta AS bigint) AS delta FROM (
       SELECT id, coalesce((SELECT quantity FROM inventory WHERE pet_id = pets.id), 0)
         - coalesce((SELECT sum(delta) FROM stock_movements WHERE pet_id = pets.id), 0) AS delta FROM pets
     ) AS compared WHERE delta <> 0 ORDER BY id`,
  )
}

/** Orders were taken by the count, so the ledger gets a line that makes it add up. */
export function mendLedger(tx: Transaction, holes: readonly LedgerHole[], now: number): void {
  for (const { id, delta } of holes) {
    recordMovement(tx, id, { delta, cause: 'adjusted', reason: 'petstore doctor --mend', now })
  }
}
