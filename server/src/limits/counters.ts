import type { Database } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import { dayMs, hourMs, minuteMs, windowStart } from './windows.ts'

interface StoredCounter {
  subject: string
  period: 'minute' | 'day'
  starts_at: number
  used: number
}

/** The counters of the windows that are not over, the current ones last. */
export function loadCounters(db: Database, now: number): Promise<StoredCounter[]> {
  return db.query<StoredCounter>(
    `SELECT subject, period, starts_at, used FROM rate_counters
     WHERE (period = 'minute' AND starts_at >= $1) OR (period = 'day' AND starts_at >= $2)
     ORDER BY starts_at DESC`,
    [windowStart(now, minuteMs), windowStart(now, dayMs)],
  )
}

/** Counts only grow: a clock that has stepped back cannot make a window look emptier than it was. */
export async function saveCounters(db: Database, counters: StoredCounter[]): Promise<void> {
  await db.transaction(async (tx) => {
    for (const some of byHundreds(counters)) {
      await tx.query(
        `INSERT INTO rate_counters (subject, period, starts_at, used) VALUES ${placeholders(some.length, 4)}
         ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = excluded.used
         WHERE rate_counters.used < excluded.used`,
        some.flatMap(({ subject, period, starts_at, used }) => [subject, period, starts_at, used]),
      )
    }
  })
}

/** Drops windows that ended long enough ago that no clock can step back into them. */
export async function forgetOldCounters(db: Database, now: number): Promise<void> {
  const counters = { table: 'rate_counters', key: 'subject, period, starts_at' }
  await forget(db, { ...counters, condition: "period <> 'day' AND starts_at < $1", params: [now - hourMs] })
  await forget(db, { ...counters, condition: 'starts_at < $1', params: [now - 3 * dayMs] })
}
