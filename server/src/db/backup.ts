import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { copyDatabase } from './copy-command.ts'
import { versionOf } from './migrate.ts'
import { sqlitePath } from './open.ts'
import { openSqlite } from './sqlite.ts'
import { closeConnection, connect, run } from './sqlite-connection.ts'
import { makeOwnFile } from './sqlite-file.ts'

interface Backup {
  /** As in the configuration. */
  readonly databaseUrl: string
  /** Where to write it; there must be no such file. */
  readonly file: string
  readonly now: number
}

const busyTimeoutMs = 5_000

/** Writes everything, as it is at one moment, to a new file beside a service that may be serving. It is a SQLite database whatever the engine. */
export async function backUp({ databaseUrl, file, now }: Backup): Promise<{ bytes: number }> {
  if (existsSync(file)) throw new Error(`There is a file ${file} already. Name another one; a backup replaces nothing.`)
  const part = `${file}.part`
  removeDatabase(part)
  try {
    // Before anything is in it: a backup holds what the database holds, and is as little for others to read.
    makeOwnFile(part)
    const path = sqlitePath(databaseUrl)
    if (path === undefined) await copyDatabase({ fromUrl: databaseUrl, toUrl: `sqlite:${part}`, now, copied: () => {} })
    else vacuumInto(path, part)
    await mustBeSound(part)
    putInPlace(part, file)
    return { bytes: statSync(file).size }
  } finally {
    removeDatabase(part)
  }
}

/** One read transaction, so writers are not held up; SQLite's own way of a backup begins anew with every write. */
function vacuumInto(path: string, part: string): void {
  if (!existsSync(path)) throw new Error(`There is no database ${path}. Set DATABASE_URL to the one the service uses.`)
  const connection = connect(path)
  try {
    run(connection, `PRAGMA busy_timeout = ${busyTimeoutMs}`)
    run(connection, 'VACUUM INTO $1', [part])
  } finally {
    closeConnection(connection)
  }
}

/** Refuses a file that is damaged or holds no pet store. */
export async function mustBeSound(file: string): Promise<void> {
  const db = openSqlite(file)
  try {
    const found = await db.query<{ integrity_check: string }>('PRAGMA integrity_check(1)')
    if (found[0]?.integrity_check !== 'ok') throw new Error(`It is damaged: ${found[0]?.integrity_check}.`)
    if ((await versionOf(db)) === 0) throw new Error('It holds no pet store.')
  } finally {
    await db.close()
  }
}

/** Gives a whole file its name, durably: it is there as a whole or not at all. */
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

/** A database and what SQLite keeps beside it. */
export const filesOf = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`]

export function removeDatabase(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true })
}
