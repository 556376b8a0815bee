import { existsSync, realpathSync } from 'node:fs'
import { copy } from '../platform/db/copy.ts'
import type { Database } from '../platform/db/database.ts'
import { openForCommand, sqlitePath } from '../platform/db/open.ts'
import { CannotOpen } from '../platform/db/sqlite.ts'
import { lockUnlessServed } from '../platform/db/sqlite-lock.ts'
import { dayMs } from '../platform/lib/time.ts'
import { petShop } from '../shop/index.ts'

const patienceMs = dayMs

interface CopyOptions {
  /** Both as in DATABASE_URL. */
  readonly fromUrl: string
  readonly toUrl: string
  readonly now: number
  /** Called after each table. */
  readonly onTable: (table: string, rows: number) => void
}

/**
 * Copies everything from one database to an empty one, and returns the number of rows. Rejects a SQLite file that a service uses:
 * writes during the copy would be lost.
 */
export async function copyDatabase({ fromUrl, toUrl, now, onTable }: CopyOptions): Promise<number> {
  const path = sqlitePath(fromUrl)
  if (path !== undefined && !existsSync(path))
    throw new Error(`There is no file ${path}. Name an existing database to copy from.`)
  if (fromUrl === toUrl) throw new Error('Source and target are the same database. Name an empty one to copy to.')
  const lock = path === undefined ? undefined : lockUnlessServed(realpathSync(path))
  try {
    return await copyBetween({ fromUrl, toUrl, now, onTable })
  } finally {
    lock?.release()
  }
}

async function copyBetween({ fromUrl, toUrl, now, onTable }: CopyOptions): Promise<number> {
  await using source = await openSide('from', fromUrl)
  await using target = await openSide('to', toUrl)
  let sum = 0
  await copy(source, target, petShop, now, (table, rows) => {
    sum += rows
    onTable(table, rows)
  })
  return sum
}

async function openSide(side: 'from' | 'to', url: string): Promise<Database> {
  try {
    return await openForCommand({ url, name: 'petstore-copy', patienceMs })
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    throw new Error(
      `The database to copy ${side}, ${sqlitePath(url)}, cannot be opened (${error.why}). Name another one. Nothing was copied.`,
    )
  }
}
