import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Queryable } from './database.ts'
import { currentVersion, migrate, versionOf } from './migrate.ts'
import { released } from './migrations/released.ts'
import { openSqlite } from './sqlite.ts'

/** All but SQLite's own: indexes of constraints, and statistics, which an operator may have gathered. */
const listing = `SELECT type, name, tbl_name, sql FROM sqlite_master
  WHERE NOT (type = 'index' AND sql IS NULL) AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4')) ORDER BY name`

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string | null
}

/** Refuses a SQLite file whose schema is not what the migrations make: a foreign trigger would run with every write. */
export async function refuseForeignObjects(db: Queryable): Promise<void> {
  const version = await versionOf(db)
  if (version > currentVersion) {
    throw new Error(
      `It is at schema version ${version}, this program knows ${currentVersion}. Restore it with the version that wrote it.`,
    )
  }
  const [there, made] = [await db.query<SchemaObject>(listing), await objectsAt(version)]
  const differing = [...difference(there, made), ...difference(made, there)]
  const names = [...new Set(differing.map(({ type, name }) => `${type} ${name}`))]
  if (names.length === 0) return
  throw new Error(`Its schema is not what this program makes: look at ${names.join(', ')}. Drop or mend what differs.`)
}

/** What the migrations up to a version make. */
async function objectsAt(version: number): Promise<SchemaObject[]> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-schema-'))
  const db = openSqlite(join(directory, 'petstore.db'))
  try {
    await migrate(db, 0, released.slice(0, version))
    return await db.query<SchemaObject>(listing)
  } finally {
    await db.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

function difference(some: readonly SchemaObject[], others: readonly SchemaObject[]): SchemaObject[] {
  const known = new Set(others.map((object) => JSON.stringify(object)))
  return some.filter((object) => !known.has(JSON.stringify(object)))
}
