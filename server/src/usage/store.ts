import type { Database, Queryable, Transaction } from '../db/database.ts'
import type { UsageRow } from '../db/tables.ts'

const dayMs = 86_400_000
const hoursKeptMs = 90 * dayMs

export interface Counts {
  allowed: number
  limited: number
  errors: number
}

export type Period = 'hour' | 'day'

/** Adds to the hour and to its day. */
export async function addUsage(tx: Transaction, keyId: number, hourStart: number, counts: Counts): Promise<void> {
  const periods = [
    ['usage_hours', hourStart],
    ['usage_days', hourStart - (hourStart % dayMs)],
  ] as const
  for (const [table, start] of periods) {
    await tx.query(
      `INSERT INTO ${table} (key_id, starts_at, allowed, limited, errors) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (key_id, starts_at) DO UPDATE SET allowed = ${table}.allowed + excluded.allowed,
         limited = ${table}.limited + excluded.limited, errors = ${table}.errors + excluded.errors`,
      [keyId, start, counts.allowed, counts.limited, counts.errors],
    )
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
