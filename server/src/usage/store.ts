import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { UsageRow } from '../db/tables.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { dayMs } from '../lib/time.ts'
import { windowStart } from '../limits/windows.ts'
import { addTo, type Counted } from './counts.ts'

const hoursKeptMs = 90 * dayMs

type Period = 'hour' | 'day'

type Columns = { key_id: number; starts_at: number; allowed: number; limited: number; errors: number }

/** Changes of so many keys and hours are added up at once. */
const changesAtOnce = 5_000

/**
 * Appends what a node has counted. The rows are its alone, so no node waits for another; reading adds them to what was added up
 * before.
 */
export async function appendUsage(tx: Transaction, hours: Counted): Promise<void> {
  for (const some of byHundreds(rowsOf(hours))) {
    await tx.query(
      `INSERT INTO usage_changes (key_id, starts_at, allowed, limited, errors) VALUES ${placeholders(some.length, 5)}`,
      some.flat(),
    )
  }
}

/** Adds up what nodes have appended. One node at a time does, and none waits for it. */
export async function addUpUsage(db: Database): Promise<void> {
  while ((await db.transaction(addUpPortion)) === changesAtOnce);
}

async function addUpPortion(tx: Transaction): Promise<number> {
  if (!(await tx.tryLock('usage'))) return 0
  const changes = await tx.query<Columns>(
    `DELETE FROM usage_changes WHERE id IN (SELECT id FROM usage_changes ORDER BY id LIMIT ${changesAtOnce})
     RETURNING key_id, starts_at, allowed, limited, errors`,
  )
  const [hours, days]: [Counted, Counted] = [new Map(), new Map()]
  for (const { key_id, starts_at, ...counts } of changes) {
    addTo(hours, starts_at, key_id, counts)
    addTo(days, windowStart(starts_at, dayMs), key_id, counts)
  }
  await add(tx, 'usage_hours', hours)
  await add(tx, 'usage_days', days)
  return changes.length
}

// In one order: nodes of the release before write the same rows in it, and would otherwise deadlock with this one.
const inOrder = <T>(map: ReadonlyMap<number, T>) => [...map].sort(([one], [other]) => one - other)

const rowsOf = (counted: Counted) =>
  inOrder(counted).flatMap(([start, byKey]) =>
    inOrder(byKey).map(([keyId, { allowed, limited, errors }]) => [keyId, start, allowed, limited, errors]),
  )

async function add(tx: Transaction, table: string, counted: Counted): Promise<void> {
  for (const some of byHundreds(rowsOf(counted))) {
    await tx.query(
      `INSERT INTO ${table} (key_id, starts_at, allowed, limited, errors) VALUES ${placeholders(some.length, 5)}
       ON CONFLICT (key_id, starts_at) DO UPDATE SET allowed = ${table}.allowed + excluded.allowed,
         limited = ${table}.limited + excluded.limited, errors = ${table}.errors + excluded.errors`,
      some.flat(),
    )
  }
}

const startOf = { hour: 'starts_at', day: `starts_at - starts_at % ${dayMs}` }

/** What was added up, and what was appended since, in one statement: nothing is counted twice or not at all. */
export function findUsage(db: Queryable, keyId: number, per: Period, from: number, to: number): Awaitable<UsageRow[]> {
  return db.query(
    `SELECT starts_at, CAST(sum(allowed) AS bigint) AS allowed, CAST(sum(limited) AS bigint) AS limited,
       CAST(sum(errors) AS bigint) AS errors
     FROM (SELECT starts_at, allowed, limited, errors FROM usage_${per}s
             WHERE key_id = $1 AND starts_at >= $2 AND starts_at < $3
           UNION ALL SELECT ${startOf[per]}, allowed, limited, errors FROM usage_changes
             WHERE id > 0 AND key_id = $1 AND ${startOf[per]} >= $2 AND ${startOf[per]} < $3) AS counted
     GROUP BY starts_at ORDER BY starts_at`,
    [keyId, from, to],
  )
}

/** Hours are kept for 90 days, days for ever. */
export const forgetOldUsage = (db: Database, now: number): Promise<void> =>
  forget(
    db,
    { table: 'usage_hours', key: 'key_id, starts_at', isOutdated: (time) => `starts_at < ${time} - ${hoursKeptMs}` },
    now,
  )
