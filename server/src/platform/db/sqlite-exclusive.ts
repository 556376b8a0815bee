import { released } from './migrations/released.ts'
import { closeConnection, conditionAfter, connect, retryWhileLocked, run } from './sqlite-connection.ts'

const patienceMs = 10_000

/** Another process has the file open. */
export class OpenElsewhere extends Error {}

/** The last schema version that excludes older programs. */
const excludingVersion = released.findLastIndex(({ oldestProgram }) => oldestProgram !== undefined) + 1

/**
 * Throws if another process has the file open and the migration excludes older programs: such a program would keep writing by its old
 * rules. SQLite leaves WAL mode only if no other process has the file open, so leaving it is the test. Opening the file for use turns
 * it on again.
 */
export function mustBeExclusive(file: string): void {
  try {
    // Another process may be migrating the same file, which is soon done.
    retryWhileLocked(patienceMs, () => leaveWalMode(file))
  } catch (error) {
    throw conditionAfter(error) === 'locked' ? new OpenElsewhere() : error
  }
}

function leaveWalMode(file: string): void {
  const connection = connect(file)
  try {
    const [table] = run(connection, "SELECT 1 AS found FROM sqlite_master WHERE name = 'schema_versions'")
    if (!table) return
    const [row] = run<{ version: number }>(connection, 'SELECT max(version) AS version FROM schema_versions')
    if ((row?.version ?? 0) >= excludingVersion) return
    connection.run('PRAGMA journal_mode = DELETE')
  } finally {
    closeConnection(connection)
  }
}
