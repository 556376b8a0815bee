import type { Database, Queryable, ReportProgress, SchemaSession } from './database.ts'
import type { Migration } from './migration.ts'

/** How many migrations have run: 0 if there is no schema yet. */
export async function versionOf(db: Queryable): Promise<number> {
  const [table] = await db.query(db.dialect.hasTable, ['schema_versions'])
  if (!table) return 0
  const [row] = await db.query<{ version: number | null }>('SELECT max(version) AS version FROM schema_versions')
  return row?.version ?? 0
}

export interface Pending {
  /** The version after the migration. */
  readonly version: number
  readonly migration: Migration
}

export const numberMigrations = (migrations: readonly Migration[]): Pending[] =>
  migrations.map((migration, index) => ({ version: index + 1, migration }))

/** The migrations that have not run yet. Throws if the schema is too new for this program. */
export async function pendingMigrations(db: Queryable, migrations: readonly Migration[]): Promise<Pending[]> {
  const current = await versionOf(db)
  if (current > migrations.length) await mustSupport(db, current, migrations.length)
  return numberMigrations(migrations).slice(current)
}

async function mustSupport(db: Queryable, current: number, known: number): Promise<void> {
  const [row] = await db.query<{ oldest: number }>(
    'SELECT max(oldest_program) AS oldest FROM schema_versions WHERE version > 0',
  )
  if (row === undefined || row.oldest <= known) return
  throw new Error(
    `The database is at schema version ${current}, which requires a program that knows version ${row.oldest}; this one knows ${known}. Start a newer version of the program.`,
  )
}

/** Migrates the schema to the version of this program; nodes that start together wait for each other here. */
export async function migrate(
  db: Database,
  now: number,
  migrations: readonly Migration[],
  report: ReportProgress = () => undefined,
): Promise<{ applied: string[] }> {
  const applied: string[] = []
  for (const { version, migration } of await pendingMigrations(db, migrations)) {
    await db.changeSchema(async (schema) => {
      // Another node may have done it meanwhile.
      if ((await versionOf(schema)) >= version) return
      await apply(schema, migration, version, now)
      applied.push(migration.name)
    }, report)
  }
  return { applied }
}

/** Builds the indexes first (a retry skips those that exist), then runs the transaction that also records the migration. */
async function apply(schema: SchemaSession, migration: Migration, version: number, now: number): Promise<void> {
  const { name, buildIndexes = {}, dropIndexes = [], statements, oldestProgram } = migration
  for (const [index, on] of Object.entries(buildIndexes)) await schema.buildIndex(index, on)
  for (const index of dropIndexes) await schema.dropIndex(index)
  await schema.transaction(async () => {
    for (const statement of statements?.[schema.dialect.engine] ?? []) await schema.query(statement)
    const recordVersion = 'INSERT INTO schema_versions (version, name, applied_at) VALUES ($1, $2, $3)'
    await schema.query(recordVersion, [version, name, now])
    if (oldestProgram === undefined) return
    await schema.query('UPDATE schema_versions SET oldest_program = $1 WHERE version = $2', [oldestProgram, version])
  })
}
