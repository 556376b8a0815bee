import { constants, Database, SQLiteError, type Statement } from 'bun:sqlite'
import type { Awaitable } from '../lib/awaitable.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { jitter } from '../lib/random.ts'
import { type Condition, ConstraintViolation, DatabaseUnavailable, type Value } from './database.ts'
import { type DatabaseObserver, reportFailure, unobserved } from './observer.ts'

const openingPatienceMs = 5_000
const statementsMax = 500

/** An open file with its prepared statements. */
export class Connection extends Database {
  readonly prepared = new BoundedMap<string, Statement>(statementsMax)
  observer: DatabaseObserver = unobserved
}

export const connect = (path: string): Connection => new Connection(path, { create: true, strict: true })

/**
 * Opens a file in WAL mode. From then on SQLite itself never waits for a lock. `isSynced`: whether a commit waits for the disk; without
 * that, it survives the end of the process, but not a power cut.
 */
export function openConnection(path: string, isSynced: boolean): Connection {
  const connection = connect(path)
  // Nothing is served yet, so SQLite may block the process here while it waits.
  connection.run(`PRAGMA busy_timeout = ${openingPatienceMs}`)
  useWalMode(connection)
  connection.run(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'OFF'}`)
  connection.run('PRAGMA foreign_keys = ON')
  connection.run('PRAGMA cache_size = -65536')
  connection.run('PRAGMA busy_timeout = 0')
  return connection
}

/** Two processes that open a new file together can conflict here, and SQLite does not wait for that. */
const useWalMode = (connection: Connection): void =>
  retryWhileLocked(openingPatienceMs, () => connection.run('PRAGMA journal_mode = WAL'))

/** Retries `task` while another process has the lock. Blocks the process, so use it only before serving. */
export function retryWhileLocked(patienceMs: number, task: () => void): void {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    try {
      task()
      return
    } catch (error) {
      if (conditionAfter(error) !== 'locked' || performance.now() > giveUpAt) throw error
      Bun.sleepSync(jitter(10))
    }
  }
}

/** Finalizes the statements first: while one is left, SQLite keeps the file and its log open. */
export function closeConnection(connection: Connection): void {
  for (const statement of connection.prepared.values()) statement.finalize()
  connection.prepared.clear()
  connection.close()
}

const noParams: readonly Value[] = []

export function run<R>(connection: Connection, sql: string, params = noParams): R[] {
  const { observer } = connection
  const startedAt = performance.now()
  try {
    let statement = connection.prepared.get(sql)
    if (!statement) {
      // SQLite binds `?1` by number; it would take `$1` for a name, bound in order of appearance.
      statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'))
      connection.prepared.set(sql, statement)
    }
    // Passed as one array: spread arguments would be collected again.
    return statement.all(params as Value[]) as R[]
  } catch (error) {
    const reason = translate(error)
    reportFailure(observer, reason, error instanceof SQLiteError ? (error.code ?? '') : '')
    throw reason
  } finally {
    observer.ran(sql, performance.now() - startedAt)
  }
}

/** Runs a statement. A failure is a rejected promise, as on PostgreSQL. */
export function runQuery<R>(connection: Connection, sql: string, params?: readonly Value[]): Awaitable<R[]> {
  try {
    return run(connection, sql, params)
  } catch (error) {
    return Promise.reject(error)
  }
}

// A closed connection throws.
export function isInTransaction(connection: Connection): boolean {
  try {
    return connection.inTransaction
  } catch {
    return false
  }
}

const violations: Record<string, ConstraintViolation['kind']> = {
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreign key',
  SQLITE_CONSTRAINT_CHECK: 'check',
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'unique',
}

/** Failures that are not caused by the statement, and the condition they imply. */
const failures: Record<string, Condition> = {
  SQLITE_BUSY: 'locked',
  SQLITE_FULL: 'disk full',
  SQLITE_READONLY: 'read-only',
  SQLITE_IOERR: 'I/O error',
  SQLITE_CANTOPEN: 'unreachable',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_NOTADB: 'damaged',
}

// By the first two words: SQLITE_IOERR_WRITE is an SQLITE_IOERR.
const conditionOfCode = (code: string): Condition | undefined => failures[code.split('_', 2).join('_')]

export function translate(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !error.code) {
    // A closed connection throws one of two other errors, without a code.
    return error instanceof Error && /\bclosed\b/.test(error.message) ? new DatabaseUnavailable(error) : error
  }
  const kind = violations[error.code]
  if (kind) return new ConstraintViolation(kind, error)
  return conditionOfCode(error.code) ? new DatabaseUnavailable(error) : error
}

/** The condition of the database that a failed statement implies. */
export function conditionAfter(error: unknown): Condition {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return (cause instanceof SQLiteError && conditionOfCode(cause.code ?? '')) || 'unreachable'
}

/** Whether the file was removed, renamed or replaced since it was opened: further writes would be lost. */
export function hasMoved(connection: Connection): boolean {
  const result = new Int32Array(2)
  connection.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, result)
  return result[0] !== 0
}
