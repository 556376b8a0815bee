import type { Queryable } from '../db/database.ts'
import type { StoredCounter } from './counters.ts'
import type { Limits, Used } from './windows.ts'

/** So many calls for one subject in one pair of windows, each of which counts as `cost` requests. */
export interface Group {
  readonly subject: string
  readonly limits: Limits
  readonly minute: number
  readonly day: number
  readonly cost: number
  asked: number
}

export interface GroupResult {
  readonly before: Used
  /** Calls. */
  readonly admitted: number
  /** Refusals within the last ten minutes, those of this group included. */
  readonly strikes: number
}

interface Row {
  minute_before: number
  day_before: number
  admitted: number
  strikes: number
}

const list = (values: readonly (string | number)[]) =>
  `{${values.map((value) => JSON.stringify(String(value))).join(',')}}`

/** Decides a batch in one statement; see the routine in db/migrations/0010-costs.ts. */
export async function admitBatch(db: Queryable, groups: readonly Group[]): Promise<GroupResult[]> {
  const rows = await db.query<Row>(
    `SELECT minute_before, day_before, admitted, strikes FROM petstore_admit($1::text::text[], $2::text::bigint[], $3::text::bigint[],
       $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[])`,
    [
      list(groups.map((group) => group.subject)),
      list(groups.map((group) => group.minute)),
      list(groups.map((group) => group.day)),
      list(groups.map((group) => group.limits.perMinute)),
      list(groups.map((group) => group.limits.perDay)),
      list(groups.map((group) => group.asked)),
      list(groups.map((group) => group.cost)),
    ],
  )
  return rows.map(({ minute_before, day_before, admitted, strikes }) => ({
    before: { minute: minute_before, day: day_before },
    admitted,
    strikes,
  }))
}

/** Adds to the counters in one statement, which locks them in the order given. */
export async function addToCounters(db: Queryable, counters: readonly StoredCounter[]): Promise<void> {
  await db.query(
    `INSERT INTO rate_counters AS known (subject, period, starts_at, used)
     SELECT * FROM unnest($1::text::text[], $2::text::text[], $3::text::bigint[], $4::text::bigint[])
     ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = known.used + excluded.used`,
    [
      list(counters.map((counter) => counter.subject)),
      list(counters.map((counter) => counter.period)),
      list(counters.map((counter) => counter.starts_at)),
      list(counters.map((counter) => counter.used)),
    ],
  )
}
