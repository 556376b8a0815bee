import type { Database, Transaction } from './database.ts'

/** How many changes one transaction adds up. */
const batchSize = 5_000

/** A log of changes, with an `id`, that is kept apart from the sums of these changes. */
interface ChangeLog<Change> {
  readonly table: string
  readonly columns: string
  /** Adds changes to the sums. */
  readonly add: (tx: Transaction, changes: readonly Change[]) => Promise<void>
}

/** Moves logged changes to the sums, oldest first. One node at a time does so; no other waits for it, since readers include the log. */
export async function addUp<Change>(db: Database, { table, columns, add }: ChangeLog<Change>): Promise<void> {
  const take = `${db.dialect.deleteRows(table, 'id', `ORDER BY id LIMIT ${batchSize}`)} RETURNING ${columns}`
  for (;;) {
    const taken = await db.transaction(async (tx) => {
      if (!(await tx.tryLock(`add up ${table}`))) return 0
      const changes = await tx.query<Change>(take)
      await add(tx, changes)
      return changes.length
    })
    if (taken < batchSize) return
  }
}
