import type { Home } from '../../platform/compose/content.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'

const freshMs = 1_000

/** Counting stops here, so that a large shop costs no more to count than a small one. */
export const countMax = 10_000

export interface Figure {
  readonly name: string
  /** Undefined if the database cannot be reached. */
  readonly count: number | undefined
}

/** The figures of the home page, cached for a second. */
export function createFigures(figures: Home['figures'], db: Queryable, clock: Clock): () => Promise<readonly Figure[]> {
  if (!figures) return async () => []
  let latest: Promise<readonly Figure[]> | undefined
  let takenAt = 0
  const nameAll = (counts: readonly number[]) => figures.names.map((name, index) => ({ name, count: counts[index] }))
  return () => {
    const now = clock.now()
    if (!latest || now - takenAt >= freshMs) {
      takenAt = now
      latest = figures.count(db, countMax).then(nameAll, () => nameAll([]))
    }
    return latest
  }
}
