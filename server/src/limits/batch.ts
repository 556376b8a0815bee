import type { Queryable } from '../db/database.ts'
import type { Limits, Used } from './windows.ts'

/** So many calls for one subject in one pair of windows. */
export interface Group {
  readonly subject: string
  readonly limits: Limits
  readonly minute: number
  readonly day: number
  asked: number
}

export interface GroupResult {
  readonly before: Used
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

/** Decides a batch in one statement; see the routine in db/migrations/0005-shared-limits.ts. */
export async function admitBatch(db: Queryable, groups: readonly Group[]): Promise<GroupResult[]> {
  const list = (values: readonly (string | number)[]) =>
    `{${values.map((value) => JSON.stringify(String(value))).join(',')}}`
  const rows = await db.query<Row>(
    `SELECT minute_before, day_before, admitted, strikes FROM petstore_admit($1::text::text[], $2::text::bigint[], $3::text::bigint[],
       $4::text::bigint[], $5::text::bigint[], $6::text::bigint[])`,
    [
      list(groups.map((group) => group.subject)),
      list(groups.map((group) => group.minute)),
      list(groups.map((group) => group.day)),
      list(groups.map((group) => group.limits.perMinute)),
      list(groups.map((group) => group.limits.perDay)),
      list(groups.map((group) => group.asked)),
    ],
  )
  return rows.map(({ minute_before, day_before, admitted, strikes }) => ({
    before: { minute: minute_before, day: day_before },
    admitted,
    strikes,
  }))
}
