import { statSync } from 'node:fs'
import type { WriteAheadLog } from './database.ts'
import { type Connection, isInTransaction, run } from './sqlite-connection.ts'

/** The largest size of the log between writes. SQLite restarts it at 4 MB, unless a reader still needs the old part. */
const logBytesMax = 16 * 1024 * 1024

/** SQLite truncates the log only with a commit that restarts it. There may be none for a long time, so `shorten` does it too. */
export const limitLog = (writer: Connection): void => void run(writer, `PRAGMA journal_size_limit = ${logBytesMax}`)

/** `endSnapshot` ends the open reads. */
export function logOf(file: string, writer: Connection, endSnapshot: () => void): WriteAheadLog {
  const bytes = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return {
    bytes,
    shorten() {
      // Not possible during a transaction; the next call tries again.
      if (bytes() <= logBytesMax || isInTransaction(writer)) return
      endSnapshot()
      // Does nothing while another process reads from the log.
      run(writer, 'PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }
}
