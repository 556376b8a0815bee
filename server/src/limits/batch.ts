import type { Queryable } from '../db/database.ts'
import type { StoredCounter } from './counters.ts'
import type { Limits, Used } from './windows.ts'

/** Calls for one subject in the same windows, each of which counts as `cost` requests. */
export interface Group {
  readonly subject: string
  readonly limits: Limits
  readonly minute: number
  readonly day: number
  readonly cost: number
  /** How many calls ask to be admitted. */
  requested: number
}

export interface GroupResult {
  readonly before: Used
  /** How many calls were admitted. */
  readonly admitted: number
  /** Refusals within the last ten minutes, including those of this group. */
  readonly strikes: number
}

interface Row {
  minute_before: number
  day_before: number
  admitted: number
  strikes: number
}

const arrayLiteral = (values: readonly (string | number)[]) =>
  `{${values.map((value) => JSON.stringify(String(value))).join(',')}}`

/** Decides a batch in one statement: see the routine `petstore_admit` in db/migrations/0010-costs.ts. */
export async function admitBatch(db: Queryable, groups: readonly Group[]): Promise<GroupResult[]> {
  const rows = await db.query<Row>(
    `SELECT minute_before, day_before, admitted, strikes FROM petstore_admit($1::text::text[], $2::text::bigint[], $3::text::bigint[],
       $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[])`,
    [
      arrayLiteral(groups.map((group) => group.subject)),
      arrayLiteral(groups.map((group) => group.minute)),
      arrayLiteral(groups.map((group) => group.day)),
      arrayLiteral(groups.map((group) => group.limits.perMinute)),
      arrayLiteral(groups.map((group) => group.limits.perDay)),
      arrayLiteral(groups.map((group) => group.requested)),
      arrayLiteral(groups.map((group) => group.cost)),
    ],
  )
  return rows.map(({ minute_before, day_before, admitted, strikes }) => ({
    before: { minute: minute_before, day: day_before },
    admitted,
    strikes,
  }))
}

/** Adds to the counters in one statement, which locks them in the given order. */
export async function addToCounters(db: Queryable, counters: readonly StoredCounter[]): Promise<void> {
  await db.query(
    `INSERT INTO rate_counters AS known (subject, period, starts_at, used)
     SELECT * FROM unnest($1::text::text[], $2::text::text[], $3::text::bigint[], $4::text::bigint[])
     ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = known.used + excluded.used`,
    [
      arrayLiteral(counters.map((counter) => counter.subject)),
      arrayLiteral(counters.map((counter) => counter.period)),
      arrayLiteral(counters.map((counter) => counter.starts_at)),
      arrayLiteral(counters.map((counter) => counter.used)),
    ],
  )
}
