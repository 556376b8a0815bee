import type { Database, Queryable } from './db/database.ts'
import { findOrderHoles, mendOrders, type OrderHoles } from './orders/holes.ts'
import { countWrongCounts, mendCounts } from './pets/recount.ts'
import { findLedgerHoles, type LedgerHole, mendLedger } from './stock/holes.ts'

/** Changes that lack what belongs to them. */
interface Holes extends OrderHoles {
  /** Pets whose ledger does not add up to their stock. */
  readonly ledger: readonly LedgerHole[]
  /** How many counts of pets are off. */
  readonly counts: number
}

const findHoles = async (db: Queryable): Promise<Holes> => ({
  ...(await findOrderHoles(db)),
  ledger: await findLedgerHoles(db),
  counts: await countWrongCounts(db),
})

function describe({ unplaced, uncompleted, vanished, untold, ledger, counts }: Holes): string[] {
  const found: [number, string][] = [
    [unplaced.length + uncompleted.length + vanished.length, 'orders lack lines of their history'],
    [untold.length, 'orders were placed without an event'],
    [ledger.length, 'pets have a ledger that does not add up to their stock'],
    [counts, 'counts of pets are wrong'],
  ]
  return found.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
}

/** What is missing, in words; nothing when all is there. */
export const lookForHoles = async (db: Queryable): Promise<string[]> => describe(await findHoles(db))

/** Writes what is missing, in one transaction. What it was. */
export function mendHoles(db: Database, now: number): Promise<string[]> {
  return db.exclusively(async (tx) => {
    const holes = await findHoles(tx)
    mendOrders(tx, holes, now)
    mendLedger(tx, holes.ledger, now)
    if (holes.counts > 0) await mendCounts(tx)
    return describe(holes)
  })
}
