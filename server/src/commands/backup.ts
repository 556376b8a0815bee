import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { countRows } from '../platform/db/copy.ts'
import type { Queryable } from '../platform/db/database.ts'
import { migrate, versionOf } from '../platform/db/migrate.ts'
import { openForCommand, sqlitePath } from '../platform/db/open.ts'
import { openSqlite } from '../platform/db/sqlite.ts'
import { closeConnection, connect, run } from '../platform/db/sqlite-connection.ts'
import { createOwnFile } from '../platform/db/sqlite-file.ts'
import type { Table } from '../platform/db/table.ts'
import { petShop } from '../shop/index.ts'
import { copyDatabase } from './copy.ts'
import { putInPlace, removeDatabase } from './database-files.ts'
import { describeGaps } from './gaps.ts'
import { restore } from './restore.ts'

interface Backup {
  /** As in DATABASE_URL. */
  readonly databaseUrl: string
  /** The file to write; it must not exist. */
  readonly file: string
  readonly now: number
}

interface Restored {
  readonly rows: number
  /** What is missing from the data, in the service and in its backup. */
  readonly gaps: readonly string[]
}

/** An append-only table, and how many rows it had at some time, including those in an archive. */
interface Lines {
  readonly table: Table
  readonly last: number
  readonly count: number
}

const readTimeoutMs = 3_600_000
const busyTimeoutMs = 5_000

/** Writes a backup. Restores it into a scratch file next to it and compares row counts before the backup gets its name. */
export async function takeBackup(backup: Backup): Promise<Restored & { readonly bytes: number }> {
  mustBePossible(backup)
  const atStart = await readLines(backup.databaseUrl)
  const { bytes, found } = await backUp(backup, (part) => restoreAside(part, backup.now, atStart))
  return { bytes, ...found }
}

/** The lines that the backup must have. None for another schema, which may not have these tables. */
async function readLines(url: string): Promise<Lines[]> {
  await using db = await openForCommand({ url, name: 'petstore-backup', patienceMs: readTimeoutMs })
  if ((await versionOf(db)) !== petShop.migrations.length) return []
  const all: Lines[] = []
  for (const table of petShop.tables.filter(({ isAppendOnly }) => isAppendOnly)) {
    const [row] = await db.query<{ last: number }>(`SELECT coalesce(max(id), 0) AS last FROM ${table.name}`)
    const last = row?.last ?? 0
    all.push({ table, last, count: await countLines(db, table, last) })
  }
  return all
}

/** In one statement, because an archive may be written meanwhile. */
async function countLines(db: Queryable, { name, archived }: Table, last: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM ${name} WHERE id <= $1) ${archived ? `+ (${archived})` : ''} AS count`,
    [last],
  )
  return row?.count ?? 0
}

async function restoreAside(file: string, now: number, expected: readonly Lines[]): Promise<Restored> {
  const directory = mkdtempSync(`${file}-restored-`)
  const path = join(directory, 'petstore.db')
  try {
    await restore({ databaseUrl: `sqlite:${path}`, file, now })
    await using db = openSqlite(path)
    await migrate(db, now, petShop.migrations)
    for (const { table, last, count } of expected) {
      const restored = await countLines(db, table, last)
      if (restored < count)
        throw new Error(
          `The backup has only ${restored} of ${count} rows of ${table.name}. It was removed. Run the backup again; if this happens again, check the disk.`,
        )
    }
    return { rows: await countRows(db, petShop.tables), gaps: await describeGaps(db) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Throws if there is no database to back up, or a file that the backup would replace. */
function mustBePossible({ databaseUrl, file }: Backup): void {
  const path = sqlitePath(databaseUrl)
  if (path !== undefined && !existsSync(path))
    throw new Error(`There is no database ${path}. Set DATABASE_URL to the one that the service uses.`)
  const directory = dirname(file)
  if (!existsSync(directory)) throw new Error(`There is no directory ${directory}. Create it, or choose another one.`)
  if (existsSync(file))
    throw new Error(`The file ${file} already exists. Choose another name; a backup never replaces a file.`)
}

/**
 * Writes a consistent snapshot to a new SQLite file, from either engine, while the service may be running. The file gets its name
 * only after `check` has passed.
 */
async function backUp<Found>(
  { databaseUrl, file, now }: Backup,
  check: (part: string) => Promise<Found>,
): Promise<{ bytes: number; found: Found }> {
  const part = `${file}.part`
  removeDatabase(part)
  try {
    // Created with restricted access before it has any content: a backup is as confidential as the database.
    createOwnFile(part)
    const path = sqlitePath(databaseUrl)
    if (path === undefined)
      await copyDatabase({ fromUrl: databaseUrl, toUrl: `sqlite:${part}`, now, onTable: () => {} })
    else vacuumInto(path, part)
    const found = await check(part)
    putInPlace(part, file)
    return { bytes: statSync(file).size, found }
  } finally {
    removeDatabase(part)
  }
}

/** One read transaction, which does not block writers. SQLite's backup API would restart with every write. */
function vacuumInto(path: string, part: string): void {
  const connection = connect(path)
  try {
    run(connection, `PRAGMA busy_timeout = ${busyTimeoutMs}`)
    run(connection, 'VACUUM INTO $1', [part])
  } finally {
    closeConnection(connection)
  }
}
