import { existsSync, realpathSync } from 'node:fs'
import { dayMs } from '../lib/time.ts'
import { copy } from './copy.ts'
import { openForCommand, sqlitePath } from './open.ts'
import { lockUnlessServed } from './sqlite-lock.ts'

const patienceMs = dayMs

interface Copying {
  /** Both as in the configuration. */
  readonly fromUrl: string
  readonly toUrl: string
  readonly now: number
  /** Hears how many rows each table has got. */
  readonly copied: (table: string, rows: number) => void
}

/**
 * Moves everything from one database to another, empty one. Returns how many rows that were. A SQLite file that is served is refused:
 * what is written to it meanwhile would be lost.
 */
export async function copyDatabase({ fromUrl, toUrl, now, copied }: Copying): Promise<number> {
  const path = sqlitePath(fromUrl)
  if (path !== undefined && !existsSync(path)) throw new Error(`There is no file ${path}.`)
  if (fromUrl === toUrl) throw new Error('Both are the same database.')
  const lock = path === undefined ? undefined : lockUnlessServed(realpathSync(path))
  try {
    return await copyBetween({ fromUrl, toUrl, now, copied })
  } finally {
    lock?.release()
  }
}

async function copyBetween({ fromUrl, toUrl, now, copied }: Copying): Promise<number> {
  const open = (url: string) => openForCommand({ url, name: 'petstore-copy', patienceMs })
  const source = await open(fromUrl)
  try {
    const target = await open(toUrl)
    try {
      let sum = 0
      await copy(source, target, now, (table, rows) => {
        sum += rows
        copied(table, rows)
      })
      return sum
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
