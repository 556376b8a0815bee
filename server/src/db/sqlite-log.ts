import { statSync } from 'node:fs'
import type { WriteAheadLog } from './database.ts'
import { type Connection, isInTransaction, run } from './sqlite-connection.ts'

/** How large the log may stay on disk. SQLite restarts it at 4 MB, unless a reader still needs the old part. */
const logBytesMax = 16 * 1024 * 1024

/** SQLite truncates the log after a commit that restarts it. There may be no commit for a long time, so it is also done here. */
export const limitLog = (writer: Connection): void => void run(writer, `PRAGMA journal_size_limit = ${logBytesMax}`)

/** `endSnapshot` ends what this process itself reads. */
export function logOf(file: string, writer: Connection, endSnapshot: () => void): WriteAheadLog {
  const bytes = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return {
    bytes,
    shorten() {
      // While a transaction is under way it cannot be done, and is tried again soon.
      if (bytes() <= logBytesMax || isInTransaction(writer)) return
      endSnapshot()
      // Does nothing while another process reads what is in the log.
      run(writer, 'PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }
}
