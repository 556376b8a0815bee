import type { Database } from './database.ts'

const batchSizeMax = 1_000

/** The outdated rows of a table, with the columns of its key. */
interface Outdated {
  readonly table: string
  readonly key: string
  /** The condition, given an SQL expression for the time. */
  readonly isOutdated: (time: string) => string
  /** Rows per commit: fewer if a delete cascades. */
  readonly batchSize?: number
}

/**
 * Deletes outdated rows in batches, each with a commit, so that a long backlog blocks no request and exceeds no timeout. Only one node
 * at a time does so, using the earlier of `now` and the database's clock.
 */
export async function forget(
  db: Database,
  { table, key, isOutdated, batchSize = batchSizeMax }: Outdated,
  now: number,
): Promise<void> {
  const outdated = `WHERE ${isOutdated(db.dialect.noLaterThanNow('$1'))} LIMIT ${batchSize}`
  const statement = `${db.dialect.deleteRows(table, key, outdated)} RETURNING 1 AS deleted`
  for (;;) {
    const deleted = await db.transaction(async (tx) =>
      (await tx.tryLock(`forget ${table}`)) ? tx.query(statement, [now]) : [],
    )
    if (deleted.length < batchSize) return
  }
}
