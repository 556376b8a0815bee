import type { Database } from './database.ts'

const rowsAtOnceMax = 1_000

/** Rows that are of no more use: those of `table` that are outdated, found again by the columns of their `key`. */
interface Outdated {
  readonly table: string
  readonly key: string
  /** The condition, for an expression of the time. */
  readonly isOutdated: (time: string) => string
  /** So many go with one commit: fewer where others go with each of them. */
  readonly rowsAtOnce?: number
}

/**
 * Deletes in portions, each with a commit: a long backlog holds up no request and runs into no time limit. One node at a time does so,
 * by `now` or, where the database has a clock of its own that is behind it, by that.
 */
export async function forget(
  db: Database,
  { table, key, isOutdated, rowsAtOnce = rowsAtOnceMax }: Outdated,
  now: number,
): Promise<void> {
  const statement = `DELETE FROM ${table} WHERE (${key}) IN
    (SELECT ${key} FROM ${table} WHERE ${isOutdated(db.dialect.noLaterThanNow('$1'))} LIMIT ${rowsAtOnce}) RETURNING 1 AS gone`
  for (;;) {
    const gone = await db.transaction(async (tx) =>
      (await tx.tryLock(`forget ${table}`)) ? tx.query(statement, [now]) : [],
    )
    if (gone.length < rowsAtOnce) return
  }
}
