import type { Database, Queryable, Transaction } from '../db/database.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { UsageRow } from '../db/tables.ts'
import { dayMs, windowStart } from '../limits/windows.ts'

const hoursKeptMs = 90 * dayMs

export interface Counts {
  allowed: number
  limited: number
  errors: number
}

type Period = 'hour' | 'day'

/** Adds the counts of an hour, by key, to the hour and to its day. */
export async function addUsage(tx: Transaction, hourStart: number, counts: ReadonlyMap<number, Counts>): Promise<void> {
  const periods = [
    ['usage_hours', hourStart],
    ['usage_days', windowStart(hourStart, dayMs)],
  ] as const
  // In one order on every node: two that lock the same rows in different orders would wait for each other for ever.
  const ordered = [...counts].sort(([one], [other]) => one - other)
  for (const [table, start] of periods) {
    for (const some of byHundreds(ordered)) {
      await tx.query(
        `INSERT INTO ${table} (key_id, starts_at, allowed, limited, errors) VALUES ${placeholders(some.length, 5)}
         ON CONFLICT (key_id, starts_at) DO UPDATE SET allowed = ${table}.allowed + excluded.allowed,
           limited = ${table}.limited + excluded.limited, errors = ${table}.errors + excluded.errors`,
        some.flatMap(([keyId, { allowed, limited, errors }]) => [keyId, start, allowed, limited, errors]),
      )
    }
  }
}

export function findUsage(db: Queryable, keyId: number, per: Period, from: number, to: number): Promise<UsageRow[]> {
  return db.query(
    `SELECT starts_at, allowed, limited, errors FROM usage_${per}s
     WHERE key_id = $1 AND starts_at >= $2 AND starts_at < $3 ORDER BY starts_at`,
    [keyId, from, to],
  )
}

/** Hours are kept for 90 days, days for ever. */
export async function forgetOldUsage(db: Database, now: number): Promise<void> {
  await db.transaction((tx) => tx.query('DELETE FROM usage_hours WHERE starts_at < $1', [now - hoursKeptMs]))
}
