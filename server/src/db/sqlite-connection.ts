import { constants, Database, SQLiteError, type Statement } from 'bun:sqlite'
import { BoundedMap } from '../lib/bounded-map.ts'
import { jitter } from '../lib/random.ts'
import { type Condition, ConstraintViolation, DatabaseUnavailable, type Value } from './database.ts'

const openingPatienceMs = 5_000
const statementsMax = 500

/** A file that is open, with the statements that were prepared for it. */
export class Connection extends Database {
  readonly prepared = new BoundedMap<string, Statement>(statementsMax)
}

export const connect = (path: string): Connection => new Connection(path, { create: true, strict: true })

/** With a durable log, and without waiting inside SQLite from then on. */
export function openConnection(path: string): Connection {
  const connection = connect(path)
  // Nobody is served yet, so SQLite may wait here in its own way, which holds up everything.
  connection.run(`PRAGMA busy_timeout = ${openingPatienceMs}`)
  useLog(connection)
  connection.run('PRAGMA synchronous = FULL')
  connection.run('PRAGMA foreign_keys = ON')
  connection.run('PRAGMA cache_size = -65536')
  connection.run('PRAGMA busy_timeout = 0')
  return connection
}

/** Two processes that open a new file at once are in each other's way here, and SQLite does not wait for that. */
const useLog = (connection: Connection): void =>
  whileLocked(openingPatienceMs, () => connection.run('PRAGMA journal_mode = WAL'))

/** Does `task` again for as long as another process has what it needs. Holds up everything, so only before anyone is served. */
export function whileLocked(patienceMs: number, task: () => void): void {
  const givenUpAt = performance.now() + patienceMs
  for (;;) {
    try {
      task()
      return
    } catch (error) {
      if (conditionAfter(error) !== 'locked' || performance.now() > givenUpAt) throw error
      Bun.sleepSync(jitter(10))
    }
  }
}

/** Statements first: while one is left, SQLite keeps the file open and its log beside it. */
export function closeConnection(connection: Connection): void {
  for (const statement of connection.prepared.values()) statement.finalize()
  connection.prepared.clear()
  connection.close()
}

const noParams: readonly Value[] = []

export function run<R>(connection: Connection, sql: string, params = noParams): R[] {
  try {
    let statement = connection.prepared.get(sql)
    if (!statement) {
      // SQLite numbers `?1` by its digit; `$1` would be a name, bound in order of appearance.
      statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'))
      connection.prepared.set(sql, statement)
    }
    // As one list: spread out, they would be gathered again.
    return statement.all(params as Value[]) as R[]
  } catch (error) {
    throw translate(error)
  }
}

// A connection that was closed does not answer this question; it throws.
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

/** Failures that are not the statement's fault, and what they say of the database. */
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
const failureIn = (code: string): Condition | undefined => failures[code.split('_', 2).join('_')]

export function translate(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !error.code) {
    // A connection that was closed throws no SQLiteError but one of two others, without a code.
    return error instanceof Error && /\bclosed\b/.test(error.message) ? new DatabaseUnavailable(error) : error
  }
  const kind = violations[error.code]
  if (kind) return new ConstraintViolation(kind, error)
  return failureIn(error.code) ? new DatabaseUnavailable(error) : error
}

/** What a failed statement says of the database. */
export function conditionAfter(error: unknown): Condition {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return (cause instanceof SQLiteError && failureIn(cause.code ?? '')) || 'unreachable'
}

/** Whether the file was removed, renamed or replaced since it was opened: what is written now would be lost with it. */
export function hasMoved(connection: Connection): boolean {
  const answer = new Int32Array(2)
  connection.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, answer)
  return answer[0] !== 0
}
