import type { Database } from '../db/database.ts'
import { findOldestInvisible } from './log.ts'

/** How long events wait until readers may see them: until every transaction that started earlier has ended. */
export interface Visibility {
  /** As last measured. */
  lagMs(): number
  measure(now: number): Promise<void>
}

export function createVisibility(db: Database): Visibility {
  let lagMs = 0
  return {
    lagMs: () => lagMs,
    async measure(now) {
      lagMs = Math.max(0, now - ((await findOldestInvisible(db)) ?? now))
    },
  }
}
