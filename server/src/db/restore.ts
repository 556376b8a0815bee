import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { filesOf, mustBeSound, putInPlace, removeDatabase } from './backup.ts'
import { copyDatabase } from './copy-command.ts'
import { refuseForeignObjects } from './foreign-objects.ts'
import { migrate } from './migrate.ts'
import { sqlitePath } from './open.ts'
import { openSqlite } from './sqlite.ts'
import { makeOwnFile, ownerOnly } from './sqlite-file.ts'
import { lockUnlessServed } from './sqlite-lock.ts'

interface Restore {
  /** As in the configuration. */
  readonly databaseUrl: string
  /** What a backup has written. */
  readonly file: string
  readonly now: number
}

/** Puts a backup in the place of the database. What was there before is kept under the name that is returned. */
export async function restore({ databaseUrl, file, now }: Restore): Promise<{ kept: string | undefined }> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
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
    const kept = existsSync(file) ? `${file}.before-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}` : undefined
    if (kept) keepAs(file, kept)
    // The log first: SQLite would apply it to whatever database it finds beside it.
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
    // One of an older release is brought up to date on the way.
    await migrate(db, now).finally(() => db.close())
    await copyDatabase({ fromUrl: `sqlite:${part}`, toUrl: databaseUrl, now, copied: () => {} })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A copy to work on: opening a database writes to it, and a backup stays as it is. */
async function takeCopy(backup: string, part: string): Promise<void> {
  removeDatabase(part)
  makeOwnFile(part)
  copyFileSync(backup, part)
  try {
    await mustBeSound(part)
    const db = openSqlite(part)
    await refuseForeignObjects(db).finally(() => db.close())
  } catch (error) {
    throw new Error(`${backup} cannot be restored. ${error instanceof Error ? error.message : error}`)
  }
}
