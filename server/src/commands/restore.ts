import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rejectForeignObjects } from '../platform/db/foreign-objects.ts'
import { migrate } from '../platform/db/migrate.ts'
import { sqlitePath } from '../platform/db/open.ts'
import { CannotOpen, openSqlite } from '../platform/db/sqlite.ts'
import { createOwnFile, ownerOnly } from '../platform/db/sqlite-file.ts'
import { lockUnlessServed } from '../platform/db/sqlite-lock.ts'
import { petShop } from '../shop/index.ts'
import { copyDatabase } from './copy.ts'
import { filesOf, mustBeIntact, putInPlace, removeDatabase, sync } from './database-files.ts'

interface Restore {
  /** As in DATABASE_URL. */
  readonly databaseUrl: string
  /** The backup. */
  readonly file: string
  readonly now: number
}

/** Replaces the database with a backup. Returns the name under which the previous database is kept. */
export async function restore({ databaseUrl, file, now }: Restore): Promise<{ kept: string | undefined }> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}. Name a file that petstore backup wrote.`)
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file. Name a file that petstore backup wrote.`)
  const path = sqlitePath(databaseUrl)
  if (path !== undefined) return restoreFile(file, path, now)
  await restoreInto(databaseUrl, file, now)
  return { kept: undefined }
}

async function restoreFile(backup: string, path: string, now: number): Promise<{ kept: string | undefined }> {
  mkdirSync(dirname(path), { recursive: true, mode: ownerOnly.directory })
  const file = existsSync(path) ? realpathSync(path) : path
  const lock = lockUnlessServed(file)
  const part = `${file}.part`
  try {
    await takeCopy(backup, part)
    // What is slow or may fail comes before the old log is deleted: without it, the old database lacks its latest commits.
    sync(part)
    const kept = existsSync(file) ? `${file}.before-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}` : undefined
    if (kept) keepAs(file, kept)
    // Delete the old log first: SQLite would apply it to the restored database.
    for (const log of filesOf(file).slice(1)) rmSync(log, { force: true })
    putInPlace(part, file)
    return { kept }
  } finally {
    removeDatabase(part)
    lock.release()
  }
}

function keepAs(file: string, kept: string): void {
  const names = filesOf(kept)
  for (const [index, from] of filesOf(file).entries()) if (existsSync(from)) linkSync(from, names[index] as string)
}

async function restoreInto(databaseUrl: string, backup: string, now: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-restore-'))
  const part = join(directory, 'petstore.db')
  try {
    await takeCopy(backup, part)
    const db = openSqlite(part)
    // A backup from an older release is migrated first.
    await migrate(db, now, petShop.migrations).finally(() => db.close())
    await copyDatabase({ fromUrl: `sqlite:${part}`, toUrl: databaseUrl, now, onTable: () => {} })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Makes a working copy: opening a database writes to it, and the backup must not change. */
async function takeCopy(backup: string, part: string): Promise<void> {
  removeDatabase(part)
  createOwnFile(part)
  copyFileSync(backup, part)
  // The latest commits of a database that an earlier restore has kept may be in its log only.
  if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${part}-wal`)
  try {
    await mustBeIntact(part)
    const db = openSqlite(part)
    await rejectForeignObjects(db, petShop.migrations).finally(() => db.close())
  } catch (error) {
    const why =
      error instanceof CannotOpen
        ? `It cannot be read as a database (${error.why}). Name a file that petstore backup wrote.`
        : error instanceof Error
          ? error.message
          : String(error)
    throw new Error(`${backup} cannot be restored. ${why} Nothing was changed.`)
  }
}
