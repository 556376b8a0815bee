import type { Database, Queryable, SchemaSession, Tell } from './database.ts'
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
  tell: Tell = () => undefined,
): Promise<{ applied: string[] }> {
  const current = await versionOf(db)
  if (current > migrations.length) {
    throw new Error(
      `The database is at schema version ${current}, this program knows ${migrations.length}. Start a newer version of the program.`,
    )
  }
  const applied: string[] = []
  for (const [index, migration] of migrations.entries()) {
    if (index < current) continue
    const version = index + 1
    await db.changeSchema(async (schema) => {
      // Another node may have done it since.
      if ((await versionOf(schema)) >= version) return
      await apply(schema, migration, version, now)
      applied.push(migration.name)
    }, tell)
  }
  return { applied }
}

/** The indexes, which a second attempt finds done, before the transaction that also notes the migration. */
async function apply(schema: SchemaSession, migration: Migration, version: number, now: number): Promise<void> {
  const { name, buildIndexes = {}, dropIndexes = [], statements } = migration
  for (const [index, on] of Object.entries(buildIndexes)) await schema.buildIndex(index, on)
  for (const index of dropIndexes) await schema.dropIndex(index)
  await schema.transaction(async () => {
    for (const statement of statements?.[schema.dialect.engine] ?? []) await schema.query(statement)
    await schema.query('INSERT INTO schema_versions (version, name, applied_at) VALUES ($1, $2, $3)', [
      version,
      name,
      now,
    ])
  })
}
