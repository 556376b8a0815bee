import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Queryable } from './database.ts'
import { migrate, versionOf } from './migrate.ts'
import type { Migration } from './migration.ts'
import { openSqlite } from './sqlite.ts'

/** Lists the schema without SQLite's internal objects: indexes of constraints, and statistics that an operator may have gathered. */
const listObjects = `SELECT type, name, tbl_name, sql FROM sqlite_master
  WHERE NOT (type = 'index' AND sql IS NULL) AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4')) ORDER BY name`

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string | null
}

/** Throws if the schema of a SQLite file differs from what the migrations create: a foreign trigger would run with every write. */
export async function rejectForeignObjects(db: Queryable, migrations: readonly Migration[]): Promise<void> {
  const currentVersion = migrations.length
  const version = await versionOf(db)
  if (version > currentVersion) {
    throw new Error(
      `It is at schema version ${version}, but this program knows only ${currentVersion}. Restore it with the program version that wrote it.`,
    )
  }
  const [found, expected] = [await db.query<SchemaObject>(listObjects), await objectsAt(migrations.slice(0, version))]
  const differing = [...difference(found, expected), ...difference(expected, found)]
  const names = [...new Set(differing.map(({ type, name }) => `${type} ${name}`))]
  if (names.length === 0) return
  throw new Error(
    `Its schema differs from what this program creates: ${names.join(', ')}. Drop or correct these objects.`,
  )
}

/** The objects that these migrations create. */
async function objectsAt(migrations: readonly Migration[]): Promise<SchemaObject[]> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-schema-'))
  const db = openSqlite(join(directory, 'petstore.db'))
  try {
    await migrate(db, 0, migrations)
    return await db.query<SchemaObject>(listObjects)
  } finally {
    await db.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

function difference(some: readonly SchemaObject[], others: readonly SchemaObject[]): SchemaObject[] {
  const known = new Set(others.map((object) => JSON.stringify(object)))
  return some.filter((object) => !known.has(JSON.stringify(object)))
}
