import type { Database, Queryable } from './database.ts'
import type { Migration } from './migration.ts'
import { released } from './migrations/released.ts'

/** The schema version this program works with. */
export const currentVersion = released.length

/** How many migrations have run: 0 where there is no pet store yet. */
export async function versionOf(db: Queryable): Promise<number> {
  const [table] = await db.query(db.dialect.hasTable, ['schema_versions'])
  if (!table) return 0
  const [row] = await db.query<{ version: number | null }>('SELECT max(version) AS version FROM schema_versions')
  return row?.version ?? 0
}

/** Brings the schema up to this code's version; nodes that start together wait for each other here. */
export async function migrate(
  db: Database,
  now: number,
  migrations: readonly Migration[] = released,
): Promise<{ applied: string[] }> {
  return db.exclusively(async (tx) => {
    const current = await versionOf(tx)
    if (current > migrations.length) {
      throw new Error(
        `The database is at schema version ${current}, this program knows ${migrations.length}. Start a newer version of the program.`,
      )
    }
    const applied: string[] = []
    for (const [index, { name, statements }] of migrations.entries()) {
      if (index < current) continue
      for (const statement of statements[tx.dialect.engine]) await tx.query(statement)
      await tx.query('INSERT INTO schema_versions (version, name, applied_at) VALUES ($1, $2, $3)', [
        index + 1,
        name,
        now,
      ])
      applied.push(name)
    }
    return { applied }
  })
}
