import { addUp } from '../db/add-up.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { dayMs } from '../lib/time.ts'
import { windowStart } from '../limits/limiter.ts'
import { addTo, type Counts, rowsOf, type UsageCounts } from './counter.ts'

export interface UsageRow extends Counts {
  starts_at: number
}

const hoursKeptMs = 90 * dayMs

type Period = 'hour' | 'day'

/** The sums of all keys are stored under this id, which no key has. */
export const allKeys = 0

type Columns = UsageRow & { key_id: number }

export const addUpUsage = (db: Database): Promise<void> =>
  addUp(db, { table: 'usage_changes', columns: 'key_id, starts_at, allowed, limited, errors, strikes', add })

async function add(tx: Transaction, changes: readonly Columns[]): Promise<void> {
  const [hours, days]: [UsageCounts, UsageCounts] = [new Map(), new Map()]
  for (const { key_id, starts_at, ...counts } of changes) {
    for (const id of [key_id, allKeys]) {
      addTo(hours, starts_at, id, counts)
      addTo(days, windowStart(starts_at, dayMs), id, counts)
    }
  }
  await addTotals(tx, 'usage_hours', hours)
  await addTotals(tx, 'usage_days', days)
}

async function addTotals(tx: Transaction, table: string, usage: UsageCounts): Promise<void> {
  for (const batch of byHundreds(rowsOf(usage))) {
    await tx.query(
      `INSERT INTO ${table} (key_id, starts_at, allowed, limited, errors, strikes) VALUES ${placeholders(batch.length, 6)}
       ON CONFLICT (key_id, starts_at) DO UPDATE SET allowed = ${table}.allowed + excluded.allowed,
         limited = ${table}.limited + excluded.limited, errors = ${table}.errors + excluded.errors,
         strikes = ${table}.strikes + excluded.strikes`,
      batch.flat(),
    )
  }
}

const tableOf = { hour: 'usage_hours', day: 'usage_days' }
const startOf = { hour: 'starts_at', day: `starts_at - starts_at % ${dayMs}` }

/** The sums of a key, or of all keys, plus the counts appended since, in one statement, so that nothing is missed or counted twice. */
export function findUsage(db: Queryable, keyId: number, per: Period, from: number, to: number): Awaitable<UsageRow[]> {
  return db.query(
    `SELECT starts_at, CAST(sum(allowed) AS bigint) AS allowed, CAST(sum(limited) AS bigint) AS limited,
       CAST(sum(errors) AS bigint) AS errors, CAST(sum(strikes) AS bigint) AS strikes
     FROM (SELECT starts_at, allowed, limited, errors, strikes FROM ${tableOf[per]}
             WHERE key_id = $1 AND starts_at >= $2 AND starts_at < $3
           UNION ALL SELECT ${startOf[per]}, allowed, limited, errors, strikes FROM usage_changes
             WHERE id > 0 AND $1 IN (key_id, ${allKeys}) AND ${startOf[per]} >= $2 AND ${startOf[per]} < $3) AS counted
     GROUP BY starts_at ORDER BY starts_at`,
    [keyId, from, to],
  )
}

/** Hours are retained for 90 days, days forever. */
export const forgetOldUsage = (db: Database, now: number): Promise<void> =>
  forget(
    db,
    { table: 'usage_hours', key: 'key_id, starts_at', isOutdated: (time) => `starts_at < ${time} - ${hoursKeptMs}` },
    now,
  )
