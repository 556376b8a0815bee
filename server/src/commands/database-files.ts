import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { versionOf } from '../platform/db/migrate.ts'
import { openSqlite } from '../platform/db/sqlite.ts'

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

/** Waits until a file is on the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** The files of a SQLite database. */
export const filesOf = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`]

export function removeDatabase(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true })
}
