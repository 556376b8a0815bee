import type { Queryable } from '../db/database.ts'
import type { Limits } from '../lib/limits.ts'
import type { StoredCounter } from './counters.ts'
import { type Rejection, rejectingWindow, type Used } from './limiter.ts'

/** Calls of one subject with the same windows and limits. Each call counts as `cost` requests. */
export interface Group {
  readonly subject: string
  readonly limits: Limits
  readonly minute: number
  readonly day: number
  readonly cost: number
  /** How many calls ask to be admitted, and when the first and the last of them arrived. */
  requested: number
  readonly arrivedFrom: number
  arrivedTo: number
  /** The usage that this node knows of. The counters may be behind: after a failover they are empty. */
  readonly seen: Used
}

export interface GroupResult {
  readonly before: Used
  /** How many calls were admitted. */
  readonly admitted: number
  /** Strikes of the last ten minutes, and how many of them this group caused: its last rejected calls. */
  readonly strikes: number
  readonly newStrikes: number
  /** The window that rejected calls of this group, and what it has rejected so far; undefined if no call was rejected. */
  readonly rejection: Rejection | undefined
}

interface Row {
  minute_before: number
  day_before: number
  admitted: number
  strikes: number
  new_strikes: number
  rejected_at: number
  graced: number
}

const arrayLiteral = (values: readonly (string | number)[]) =>
  `{${values.map((value) => JSON.stringify(String(value))).join(',')}}`

/** Decides a batch in one statement: see the routine `petstore_admit` in db/migrations/0001-routines.ts. */
export async function admitBatch(db: Queryable, groups: readonly Group[]): Promise<GroupResult[]> {
  const rows = await db.query<Row>(
    `SELECT minute_before, day_before, admitted, strikes, new_strikes, rejected_at, graced FROM petstore_admit($1::text::text[],
       $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[],
       $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::bigint[])`,
    [
      arrayLiteral(groups.map((group) => group.subject)),
      arrayLiteral(groups.map((group) => group.minute)),
      arrayLiteral(groups.map((group) => group.day)),
      arrayLiteral(groups.map((group) => group.limits.perMinute)),
      arrayLiteral(groups.map((group) => group.limits.perDay)),
      arrayLiteral(groups.map((group) => group.requested)),
      arrayLiteral(groups.map((group) => group.cost)),
      arrayLiteral(groups.map((group) => group.arrivedFrom)),
      arrayLiteral(groups.map((group) => group.arrivedTo)),
      arrayLiteral(groups.map((group) => group.seen.minute)),
      arrayLiteral(groups.map((group) => group.seen.day)),
    ],
  )
  return rows.map((row, index) => toResult(row, groups[index] as Group))
}

const retryMs = 20

/** Like `admitBatch`, but retries until `giveUp` is called: lost connections are replaced. */
export function keepAdmitting(db: Queryable, groups: readonly Group[], patienceMs: number) {
  let failure = new Error(`no response within ${patienceMs} ms`)
  let isGivenUp = false
  async function send(): Promise<GroupResult[]> {
    for (;;) {
      try {
        return await admitBatch(db, groups)
      } catch (error) {
        failure = error as Error
      }
      if (!isGivenUp) await new Promise((resolve) => setTimeout(resolve, retryMs))
      if (isGivenUp) throw failure
    }
  }
  const giveUp = () => {
    isGivenUp = true
    return failure
  }
  return { response: send(), giveUp }
}

function toResult(row: Row, { limits, cost }: Group): GroupResult {
  const {
    minute_before: minute,
    day_before: day,
    admitted,
    strikes,
    new_strikes: newStrikes,
    rejected_at: firstAt,
    graced,
  } = row
  const usedByAll = { minute: minute + admitted * cost, day: day + admitted * cost }
  const rejection = firstAt > 0 ? { window: rejectingWindow(usedByAll, limits, cost), firstAt, graced } : undefined
  return { before: { minute, day }, admitted, strikes, newStrikes, rejection }
}

/** Adds to the counters in one statement. Of two first rejections, the earlier one is kept. Locks rows in the given order. */
export async function addToCounters(db: Queryable, counters: readonly StoredCounter[]): Promise<void> {
  await db.query(
    `INSERT INTO rate_counters AS known (subject, period, starts_at, used)
     SELECT * FROM unnest($1::text::text[], $2::text::text[], $3::text::bigint[], $4::text::bigint[])
     ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = CASE
       WHEN known.period IN ('minute_rejected', 'day_rejected') THEN least(known.used, excluded.used)
       ELSE known.used + excluded.used END`,
    [
      arrayLiteral(counters.map((counter) => counter.subject)),
      arrayLiteral(counters.map((counter) => counter.period)),
      arrayLiteral(counters.map((counter) => counter.starts_at)),
      arrayLiteral(counters.map((counter) => counter.used)),
    ],
  )
}
