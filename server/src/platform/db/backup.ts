import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { versionOf } from './migrate.ts'
import { sqlitePath } from './open.ts'
import { openSqlite } from './sqlite.ts'
import { closeConnection, connect, run } from './sqlite-connection.ts'
import { createOwnFile } from './sqlite-file.ts'

export interface Backup {
  /** As in DATABASE_URL. */
  readonly databaseUrl: string
  /** The file to write; it must not exist. */
  readonly file: string
  readonly now: number
}

const busyTimeoutMs = 5_000

/** Throws if there is no database to back up, or a file that the backup would replace. */
export function mustBePossible({ databaseUrl, file }: Backup): void {
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
 * when `check` has found it to be good. `copyInto` copies a PostgreSQL database into another one.
 */
export async function backUp<Found>(
  { databaseUrl, file }: Backup,
  copyInto: (url: string) => Promise<unknown>,
  check: (part: string) => Promise<Found>,
): Promise<{ bytes: number; found: Found }> {
  const part = `${file}.part`
  removeDatabase(part)
  try {
    // Created with restricted access before it has any content: a backup is as confidential as the database.
    createOwnFile(part)
    const path = sqlitePath(databaseUrl)
    if (path === undefined) await copyInto(`sqlite:${part}`)
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

/** Throws if a file is damaged or is not a database of this service. */
export async function mustBeIntact(file: string): Promise<void> {
  await using db = openSqlite(file)
  const [row] = await db.query<{ integrity_check: string }>('PRAGMA integrity_check(1)')
  if (row?.integrity_check !== 'ok') throw new Error(`It is damaged: ${row?.integrity_check}. Name another backup.`)
  if ((await versionOf(db)) === 0) {
    throw new Error('It is not a database of this service. Name a file that petstore backup wrote.')
  }
}

/** Renames a complete file durably and atomically. */
export function putInPlace(part: string, file: string): void {
  sync(part)
  renameSync(part, file)
  sync(dirname(file))
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** The files of a SQLite database. */
export const filesOf = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`]

export function removeDatabase(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true })
}
