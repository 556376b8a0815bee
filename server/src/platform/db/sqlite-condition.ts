import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { withTimeout } from '../lib/with-timeout.ts'
import type { Condition, Database } from './database.ts'
import { type Connection, conditionAfter, hasMoved } from './sqlite-connection.ts'

const checkEveryMs = 1_000
const responseMs = 500
/** More than most writes need: a write of one page may still fit into the log when nothing larger does. */
const room = Buffer.alloc(1024 * 1024)

/** Checks whether the file can still be written, by writing to it: at most once a second, and only on request. */
export function createConditionCheck(
  file: string,
  writer: Connection,
  transaction: Database['transaction'],
): () => Promise<Condition> {
  let last: Condition = 'ok'
  let checkedAt = Number.NEGATIVE_INFINITY
  let runningCheck: Promise<Condition> | undefined

  async function tryToWrite(): Promise<Condition> {
    const written = transaction(async (tx) => {
      // A number in the file's first page that the service does not use. Writing the same value still writes the page.
      const [row] = await tx.query<{ user_version: number }>('PRAGMA user_version')
      await tx.query(`PRAGMA user_version = ${row?.user_version}`)
    })
    last = await written.then(async () => ((await hasRoom(file)) ? 'ok' : 'disk full'), conditionAfter)
    checkedAt = performance.now()
    runningCheck = undefined
    return last
  }

  return async () => {
    try {
      if (hasMoved(writer)) return existsSync(file) ? 'replaced' : 'removed'
    } catch (error) {
      return conditionAfter(error)
    }
    if (performance.now() - checkedAt < checkEveryMs) return last
    runningCheck ??= tryToWrite()
    // A write that waits for another process's lock is not decided yet, so the last result stands.
    return withTimeout(responseMs, runningCheck, () => new Error('no result yet')).catch(() => last)
  }
}

/** Whether the disk has room for a write, tested with a file that is removed immediately. A used-up quota counts as a full disk. */
async function hasRoom(file: string): Promise<boolean> {
  const path = `${file}-room`
  try {
    await writeFile(path, room, { mode: 0o600 })
    return true
  } catch (error) {
    return !['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
  } finally {
    await rm(path, { force: true }).catch(() => undefined)
  }
}
