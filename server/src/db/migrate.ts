import type { Database, Dialect, Queryable } from './database.ts'
import { catalogue } from './migrations/0001-catalogue.ts'
import { requests } from './migrations/0002-requests.ts'
import { store } from './migrations/0003-store.ts'
import { keys } from './migrations/0004-keys.ts'
import { sharedLimits } from './migrations/0005-shared-limits.ts'
import { indexes } from './migrations/0006-indexes.ts'

/** In order, for ever: a migration that has been released is never changed, only followed by another. */
const migrations: readonly { name: string; statements: (dialect: Dialect) => string[] }[] = [
  { name: 'catalogue', statements: catalogue },
  { name: 'requests', statements: requests },
  { name: 'store', statements: store },
  { name: 'keys', statements: keys },
  { name: 'shared limits', statements: sharedLimits },
  { name: 'indexes', statements: indexes },
]

/** The schema version this program works with. */
export const currentVersion = migrations.length

export async function versionOf(db: Queryable): Promise<number> {
  const [row] = await db.query<{ version: number | null }>('SELECT max(version) AS version FROM schema_versions')
  return row?.version ?? 0
}

/** Brings the schema up to this code's version; nodes that start together wait for each other here. */
export async function migrate(db: Database, now: number): Promise<{ applied: string[] }> {
  const { integer, text, tableOptions } = db.dialect
  return db.exclusively(async (tx) => {
    await tx.query(
      `CREATE TABLE IF NOT EXISTS schema_versions (version ${integer} PRIMARY KEY, name ${text} NOT NULL, applied_at ${integer} NOT NULL) ${tableOptions}`,
    )
    const current = await versionOf(tx)
    if (current > currentVersion) {
      throw new Error(
        `The database is at schema version ${current}, this program knows ${currentVersion}. Start a newer version of the program.`,
      )
    }
    const applied: string[] = []
    for (const [index, { name, statements }] of migrations.entries()) {
      if (index < current) continue
      for (const statement of statements(db.dialect)) await tx.query(statement)
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
