import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { UsageRow } from '../db/tables.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { dayMs } from '../lib/time.ts'
import { windowStart } from '../limits/windows.ts'
import { addCounts, type Counted } from './counts.ts'

const hoursKeptMs = 90 * dayMs

type Period = 'hour' | 'day'

/** Adds the counts of hours, by key, to the hours and to their days. */
export async function addUsage(tx: Transaction, hours: Counted): Promise<void> {
  const days: Counted = new Map()
  addCounts(days, hours, (hour) => windowStart(hour, dayMs))
  await add(tx, 'usage_hours', hours)
  await add(tx, 'usage_days', days)
}

// In one order on every node: two that lock the same rows in different orders would wait for each other for ever.
const inOrder = <T>(map: ReadonlyMap<number, T>) => [...map].sort(([one], [other]) => one - other)

async function add(tx: Transaction, table: string, counted: Counted): Promise<void> {
  const rows = inOrder(counted).flatMap(([start, byKey]) =>
    inOrder(byKey).map(([keyId, { allowed, limited, errors }]) => [keyId, start, allowed, limited, errors]),
  )
  for (const some of byHundreds(rows)) {
    await tx.query(
      `INSERT INTO ${table} (key_id, starts_at, allowed, limited, errors) VALUES ${placeholders(some.length, 5)}
       ON CONFLICT (key_id, starts_at) DO UPDATE SET allowed = ${table}.allowed + excluded.allowed,
         limited = ${table}.limited + excluded.limited, errors = ${table}.errors + excluded.errors`,
      some.flat(),
    )
  }
}

export function findUsage(db: Queryable, keyId: number, per: Period, from: number, to: number): Awaitable<UsageRow[]> {
  return db.query(
    `SELECT starts_at, allowed, limited, errors FROM usage_${per}s
     WHERE key_id = $1 AND starts_at >= $2 AND starts_at < $3 ORDER BY starts_at`,
    [keyId, from, to],
  )
}

/** Hours are kept for 90 days, days for ever. */
export const forgetOldUsage = (db: Database, now: number): Promise<void> =>
  forget(db, {
    table: 'usage_hours',
    key: 'key_id, starts_at',
    condition: 'starts_at < $1',
    params: [now - hoursKeptMs],
  })
