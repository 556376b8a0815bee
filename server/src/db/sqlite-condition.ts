import { existsSync } from 'node:fs'
import { withTimeout } from '../lib/with-timeout.ts'
import type { Condition, Database } from './database.ts'
import { type Connection, conditionAfter, hasMoved } from './sqlite-connection.ts'

const triedEveryMs = 1_000
const answerWithinMs = 500

/** Finds out whether the file can still be written, by a small write: at most one a second, and only when somebody asks. */
export function conditionOf(
  file: string,
  writer: Connection,
  transaction: Database['transaction'],
): () => Promise<Condition> {
  let last: Condition = 'ok'
  let triedAt = Number.NEGATIVE_INFINITY
  let trying: Promise<Condition> | undefined

  async function tryToWrite(): Promise<Condition> {
    last = await transaction(async (tx) => {
      // A number in the file's first page that nothing here uses. It stays what it is, but is written all the same.
      const [kept] = await tx.query<{ user_version: number }>('PRAGMA user_version')
      await tx.query(`PRAGMA user_version = ${kept?.user_version}`)
      return 'ok' as const
    }).catch(conditionAfter)
    triedAt = performance.now()
    trying = undefined
    return last
  }

  return async () => {
    try {
      if (hasMoved(writer)) return existsSync(file) ? 'replaced' : 'removed'
    } catch (error) {
      return conditionAfter(error)
    }
    if (performance.now() - triedAt < triedEveryMs) return last
    trying ??= tryToWrite()
    // A write that waits for another process's lock is no verdict yet, so the last one stands.
    return withTimeout(answerWithinMs, trying, () => new Error('no verdict yet')).catch(() => last)
  }
}
