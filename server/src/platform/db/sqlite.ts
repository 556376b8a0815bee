import { statSync } from 'node:fs'
import { type Awaitable, firstOf } from '../lib/awaitable.ts'
import {
  type Database,
  DatabaseUnavailable,
  type Dialect,
  type SchemaSession,
  type Transaction,
  type Value,
  type WriteAheadLog,
} from './database.ts'
import { type DatabaseObserver, unobserved } from './observer.ts'
import { rarePartsMax } from './search.ts'
import { createConditionCheck } from './sqlite-condition.ts'
import {
  type Connection,
  closeConnection,
  conditionAfter,
  isInTransaction,
  openConnection,
  run,
  runQuery,
} from './sqlite-connection.ts'
import { createFile, restrictDatabaseAccess } from './sqlite-file.ts'
import { createGroupCommit } from './sqlite-group-commit.ts'
import { lockForServing, ServedAlready, type ServingLock } from './sqlite-lock.ts'
import { waitMsMax } from './wait-queue.ts'

/** A part that more rows have is not rare. */
const entriesMax = 2_500
const quote = (part: string): string => `"${part.replaceAll('"', '""')}"`

const sqliteDialect: Dialect = {
  engine: 'sqlite',
  clock: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now",
  // There is only one clock, the machine's (decision 14).
  noLaterThanNow: (time) => time,
  hasTable: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1",
  settings: undefined,
  readsByBounds: false,
  forUpdate: '',
  lockRows: () => undefined,
  lockFreeRows: () => undefined,
  deleteRows: (table, key, which) => `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} ${which})`,
  lockTable: () => undefined,
  forUpdateSkippingLocked: '',
  // A transaction excludes all other writers.
  snapshot: [],
  // Writes run one at a time, so ids are in commit order.
  transactionNumber: (table) => `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`,
  oldestUnderWay: undefined,
  committed: undefined,
  timeline: undefined,
  highestId: (table) => `SELECT seq AS highest FROM sqlite_sequence WHERE name = '${table}'`,
  continueIds: (table, highest) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${highest})`,
  ],
  holds: (text, part) => `instr(${text}, ${part}) > 0`,
  // One part at a time: a phrase of several parts would be checked in every row that has all of them anywhere.
  rareParts: (table, parts) => {
    const entries = `SELECT rowid FROM ${table}_search WHERE ${table}_search MATCH ? LIMIT ${entriesMax + 1}`
    const counts = parts.map(() => `SELECT ? AS part, (SELECT count(*) FROM (${entries})) AS entries`)
    return [
      `WITH counted AS MATERIALIZED (${counts.join(' UNION ALL ')})
       SELECT part FROM counted WHERE entries <= ${entriesMax} ORDER BY entries LIMIT ${rarePartsMax}`,
      ...parts.flatMap((part) => [part, quote(part)]),
    ]
  },
  integersIn: (json) => `SELECT value FROM json_each(${json})`,
  holdingAll: (table, parts) => [
    `SELECT rowid AS found FROM ${table}_search WHERE ${table}_search MATCH ?`,
    parts.map(quote).join(' AND '),
  ],
}

interface SqliteOptions {
  /** Only one process at a time may serve the file; others may still read and write it. */
  readonly serving?: boolean
  /** How large the file may become. Unlimited by default. */
  readonly bytesMax?: number | undefined
  /** Whether commits survive a power cut, which is slower. True by default. */
  readonly isSynced?: boolean
  readonly observer?: DatabaseObserver
}

export function openSqlite(
  path: string,
  { serving = false, bytesMax, isSynced = true, observer = unobserved }: SqliteOptions = {},
): Database {
  const { file, writer, reader, lock } = openFile(path, serving, isSynced)
  writer.observer = observer
  reader.observer = observer
  if (bytesMax !== undefined) limitSize(writer, bytesMax)
  const listeners = new Map<string, ((payload: string) => void)[]>()
  let isClosed = false
  let hasSnapshot = false
  let tickStartedAt: number | undefined
  const commits = createGroupCommit({
    writer,
    dialect: sqliteDialect,
    // While a snapshot is open, the commit cannot restart the log, which would grow.
    beforeCommit: endSnapshot,
    onNotice: ([channel, payload]) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload)
    },
  })
  const { transaction, urgently, waiting } = commits

  /** Does not start before it is allowed: everything in the same commit would wait with it. */
  async function whenAllowed<T>(allowed: Promise<void>, work: (tx: Transaction) => Awaitable<T>): Promise<T> {
    await allowed
    return transaction(work)
  }

  // Reads in one tick share a snapshot, because opening one takes longer than most reads. It also ends with every commit, so that a
  // client that has its response can read what it wrote.
  function read<R>(sql: string, params?: readonly Value[]): Awaitable<R[]> {
    if (!hasSnapshot) {
      try {
        run(reader, 'BEGIN')
      } catch (error) {
        return Promise.reject(error)
      }
      hasSnapshot = true
      setImmediate(endSnapshot)
    }
    return runQuery(reader, sql, params)
  }

  function endSnapshot(): void {
    hasSnapshot = false
    // Nothing was written, so ROLLBACK ends it too, and it also works on a damaged file.
    if (isInTransaction(reader)) run(reader, 'ROLLBACK')
  }

  /** How long this tick has lasted; a request handled in it has waited at least as long. */
  function tickAgeMs(): number {
    if (tickStartedAt === undefined) {
      tickStartedAt = performance.now()
      setImmediate(() => {
        tickStartedAt = undefined
      })
    }
    return performance.now() - tickStartedAt
  }

  function reject(): false {
    observer.shed()
    return false
  }

  async function close(): Promise<void> {
    if (isClosed) return
    await commits.idle()
    isClosed = true
    endSnapshot()
    closeConnection(reader)
    closeConnection(writer)
    lock?.release()
  }

  return {
    dialect: sqliteDialect,
    query: read,
    find: (select, id) => firstOf(read(`${select} = $1`, [id])),
    transaction: (work, allowed) => (allowed ? whenAllowed(allowed, work) : transaction(work)),
    changeSchema: (work) => transaction((tx) => work(createSchemaSession(tx))),
    exclusively: transaction,
    urgently,
    aside: { dialect: sqliteDialect, query: read },
    // Half of the time, because a request may also have waited for the whole previous tick.
    hasRoomFor: (kind) => (tickAgeMs() < waitMsMax / 2 && (kind === 'read' || commits.hasRoom())) || reject(),
    waiting,
    pools: () => [],
    listen(channel, onNotice) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), onNotice])
    },
    condition: createConditionCheck(file, writer, urgently),
    log: logOf(file, writer, endSnapshot),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function limitSize(writer: Connection, bytesMax: number): void {
  const [row] = run<{ page_size: number }>(writer, 'PRAGMA page_size')
  run(writer, `PRAGMA max_page_count = ${Math.floor(bytesMax / (row?.page_size ?? 4096))}`)
}

/** Throws if the file is damaged: opening it reads only the first page. */
function readFirstTable(connection: Connection): void {
  const [table] = run(connection, "SELECT 1 AS found FROM sqlite_master WHERE name = 'schema_versions'")
  if (table) run(connection, 'SELECT max(version) AS version FROM schema_versions')
}

interface OpenFile {
  readonly file: string
  readonly writer: Connection
  readonly reader: Connection
  readonly lock: ServingLock | undefined
}

function openFile(path: string, serving: boolean, isSynced: boolean): OpenFile {
  let lock: ServingLock | undefined
  try {
    const file = createFile(path)
    if (serving) lock = lockForServing(file)
    const writer = openConnection(file, isSynced)
    // Keeps the journals of savepoints in memory: otherwise each would write a file.
    writer.run('PRAGMA temp_store = MEMORY')
    limitLog(writer)
    if (serving) readFirstTable(writer)
    // Reads have a separate connection, so they see only what is committed, even while a batch is being written.
    const reader = openConnection(file, isSynced)
    reader.run('PRAGMA query_only = ON')
    restrictDatabaseAccess(file)
    return { file, writer, reader, lock }
  } catch (error) {
    lock?.release()
    if (!(error instanceof ServedAlready)) throw new CannotOpen(path, error)
    throw new Error(
      `The database ${path} is already served by ${error.holder}. Stop it first, or set DATABASE_URL to another file; only PostgreSQL can be shared by several services.`,
    )
  }
}

/** The file cannot be opened. The message is for the database in DATABASE_URL; `why` is for any file. */
export class CannotOpen extends Error {
  readonly why: string

  constructor(path: string, error: unknown) {
    const reason = error instanceof DatabaseUnavailable ? error.cause : error
    const why = reason instanceof Error ? reason.message : String(reason)
    const other =
      conditionAfter(error) === 'damaged'
        ? 'another file, or restore a backup with petstore restore'
        : 'a writable file'
    super(`The database ${path} cannot be opened (${why}). Set DATABASE_URL to sqlite:<path> of ${other}.`)
    this.why = why
  }
}

/** SQLite changes its schema in an ordinary transaction, which excludes all other writers. */
const createSchemaSession = (tx: Transaction): SchemaSession => ({
  dialect: tx.dialect,
  query: tx.query,
  transaction: (work) => work(),
  async buildIndex(name, on) {
    // Building an index may sort more than fits into memory.
    await tx.query('PRAGMA temp_store = FILE')
    await tx.query(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`)
    await tx.query('PRAGMA temp_store = MEMORY')
  },
  dropIndex: async (name) => void (await tx.query(`DROP INDEX IF EXISTS ${name}`)),
})

/** The largest size of the log between writes. SQLite restarts it at 4 MB, unless a reader still needs the old part. */
const logBytesMax = 16 * 1024 * 1024

/** SQLite truncates the log only with a commit that restarts it. There may be none for a long time, so `shorten` does it too. */
const limitLog = (writer: Connection): void => void run(writer, `PRAGMA journal_size_limit = ${logBytesMax}`)

/** `endSnapshot` ends the open reads. */
function logOf(file: string, writer: Connection, endSnapshot: () => void): WriteAheadLog {
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
