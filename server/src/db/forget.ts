import type { Database, Value } from './database.ts'

const rowsAtOnceMax = 1_000

/** Rows that are of no more use: those of `table` that meet `condition`, found again by the columns of their `key`. */
interface Outdated {
  readonly table: string
  readonly key: string
  readonly condition: string
  readonly params: readonly Value[]
  /** So many go with one commit: fewer where others go with each of them. */
  readonly rowsAtOnce?: number
}

/** Deletes in portions, each with a commit of its own: a long backlog holds up no request and runs into no time limit. */
export async function forget(
  db: Database,
  { table, key, condition, params, rowsAtOnce = rowsAtOnceMax }: Outdated,
): Promise<void> {
  const statement = `DELETE FROM ${table} WHERE (${key}) IN
    (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce}) RETURNING 1 AS gone`
  for (;;) {
    const gone = await db.transaction((tx) => tx.query(statement, params))
    if (gone.length < rowsAtOnce) return
  }
}
