import type { Queryable } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'

const freshMs = 1_000

/** Counting stops here, so that a large shop costs no more to count than a small one. */
export const countMax = 10_000

export interface ShopCounts {
  readonly petsAvailable: number
  readonly categories: number
}

/** Counts for the home page, cached for a second; undefined if the database cannot be reached. */
export function createCounts(db: Queryable, clock: Clock): () => Promise<ShopCounts | undefined> {
  let latest: Promise<ShopCounts | undefined> | undefined
  let takenAt = 0
  return () => {
    const now = clock.now()
    if (!latest || now - takenAt >= freshMs) {
      takenAt = now
      latest = count(db).catch(() => undefined)
    }
    return latest
  }
}

async function count(db: Queryable): Promise<ShopCounts> {
  const [row] = await db.query<ShopCounts>(
    `SELECT (SELECT count(*) FROM (SELECT 1 FROM pets WHERE status = 'available' LIMIT $1) AS seen) AS "petsAvailable",
            (SELECT count(*) FROM (SELECT 1 FROM categories LIMIT $1) AS seen) AS categories`,
    [countMax],
  )
  return { petsAvailable: row?.petsAvailable ?? 0, categories: row?.categories ?? 0 }
}
