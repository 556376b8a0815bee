import { released } from './migrations/released.ts'
import { closeConnection, conditionAfter, connect, run, whileLocked } from './sqlite-connection.ts'

const patienceMs = 10_000

/** Another process has the file open. */
export class OpenElsewhere extends Error {}

/** The last schema version that shuts out older programs. */
const shutsOut = released.findLastIndex(({ oldestProgram }) => oldestProgram !== undefined) + 1

/**
 * A program that is too old for the schema must not have the file open while the schema is changed: it would go on writing by its
 * own rules. SQLite leaves its log only when no other process has the file open, so leaving it is the test. Opening the file for use
 * turns the log on again.
 */
export function refuseBesideOldProgram(file: string): void {
  try {
    // Another process may be bringing the same file up to date: then it is soon done.
    whileLocked(patienceMs, () => leaveLog(file))
  } catch (error) {
    throw conditionAfter(error) === 'locked' ? new OpenElsewhere() : error
  }
}

function leaveLog(file: string): void {
  const connection = connect(file)
  try {
    const [table] = run(connection, "SELECT 1 AS found FROM sqlite_master WHERE name = 'schema_versions'")
    if (!table) return
    const [row] = run<{ version: number }>(connection, 'SELECT max(version) AS version FROM schema_versions')
    if ((row?.version ?? 0) >= shutsOut) return
    connection.run('PRAGMA journal_mode = DELETE')
  } finally {
    closeConnection(connection)
  }
}
