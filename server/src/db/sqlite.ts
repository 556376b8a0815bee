import type { Awaitable } from '../lib/awaitable.ts'
import { type Database, DatabaseUnavailable, type Dialect, type Transaction, type Value } from './database.ts'
import { waitMsMax } from './line.ts'
import { rarePartsMax } from './search.ts'
import { OpenElsewhere, refuseBesideOldProgram } from './sqlite-alone.ts'
import { conditionOf } from './sqlite-condition.ts'
import {
  type Connection,
  closeConnection,
  conditionAfter,
  isInTransaction,
  openConnection,
  run,
} from './sqlite-connection.ts'
import { keepOthersOutOf, makeFile } from './sqlite-file.ts'
import { createGroupCommit } from './sqlite-group-commit.ts'
import { lockForServing, ServedAlready, type ServingLock } from './sqlite-lock.ts'
import { limitLog, logOf } from './sqlite-log.ts'
import { schemaIn } from './sqlite-schema.ts'
import { asked } from './sqlite-transaction.ts'

/** A part that is in more rows than this is not rare. */
const entriesMax = 2_500
const quoted = (part: string): string => `"${part.replaceAll('"', '""')}"`

const sqliteDialect: Dialect = {
  engine: 'sqlite',
  clock: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now",
  // Of the clocks that there are, the machine's is the only one (decision 19).
  noLaterThanNow: (time) => time,
  hasTable: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1",
  settings: undefined,
  readsByBounds: false,
  forUpdate: '',
  forUpdateSkippingLocked: '',
  snapshot: [], // a transaction here keeps all other writers out
  // One writes after the other, so ids are in the order of commits.
  transactionNumber: (table) => `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`,
  oldestUnderWay: undefined,
  timeline: undefined,
  highestId: (table) => `SELECT seq AS highest FROM sqlite_sequence WHERE name = '${table}'`,
  continueIds: (table, highest) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${highest})`,
  ],
  holds: (text, part) => `instr(${text}, ${part}) > 0`,
  // One part at a time: a phrase of many parts is looked for in every row that has them all, wherever they are in it.
  rareParts: (table, parts) => {
    const entries = `SELECT rowid FROM ${table}_search WHERE ${table}_search MATCH ? LIMIT ${entriesMax + 1}`
    const counts = parts.map(() => `SELECT ? AS part, (SELECT count(*) FROM (${entries})) AS entries`)
    return [
      `WITH counted AS MATERIALIZED (${counts.join(' UNION ALL ')})
       SELECT part FROM counted WHERE entries <= ${entriesMax} ORDER BY entries LIMIT ${rarePartsMax}`,
      ...parts.flatMap((part) => [part, quoted(part)]),
    ]
  },
  holdingAll: (table, parts) => [
    `SELECT rowid AS found FROM ${table}_search WHERE ${table}_search MATCH ?`,
    parts.map(quoted).join(' AND '),
  ],
}

interface SqliteOptions {
  /** Only one process at a time may open the file with this; others may still read and write it. */
  readonly serving?: boolean
  /** Refused where an older program may have it open that the schema of today shuts out. A service migrates too. */
  readonly migrating?: boolean
}

export function openSqlite(path: string, { serving = false, migrating = serving }: SqliteOptions = {}): Database {
  const { file, writer, reader, lock } = openFile(path, serving, migrating)
  const listeners = new Map<string, ((payload: string) => void)[]>()
  let closed = false
  let inSnapshot = false
  let turnBeganAt: number | undefined
  const commits = createGroupCommit({
    writer,
    dialect: sqliteDialect,
    // While a snapshot is open, the commit cannot begin the log anew, and it would grow.
    beforeCommit: endSnapshot,
    heard: ([channel, payload]) => {
      for (const heard of listeners.get(channel) ?? []) heard(payload)
    },
  })
  const { transaction, urgently, waiting } = commits

  /** All that is done in one commit would wait with it, so it does not begin before. */
  async function whenAllowed<T>(allowed: Promise<void>, work: (tx: Transaction) => Awaitable<T>): Promise<T> {
    await allowed
    return transaction(work)
  }

  // Reads of one turn of the event loop share a snapshot: opening one takes longer than most reads. It also ends with every
  // commit, so that whoever was answered finds what it wrote.
  function read<R>(sql: string, params?: readonly Value[]): Awaitable<R[]> {
    if (!inSnapshot) {
      try {
        run(reader, 'BEGIN')
      } catch (error) {
        return Promise.reject(error)
      }
      inSnapshot = true
      setImmediate(endSnapshot)
    }
    return asked(reader, sql, params)
  }

  function endSnapshot(): void {
    inSnapshot = false
    // Nothing was written, so ROLLBACK ends it just as well, and it works on a damaged file too.
    if (isInTransaction(reader)) run(reader, 'ROLLBACK')
  }

  /** How long ago this turn of the event loop began; whoever is reached in it has waited at least as long. */
  function turnAgeMs(): number {
    if (turnBeganAt === undefined) {
      turnBeganAt = performance.now()
      setImmediate(() => {
        turnBeganAt = undefined
      })
    }
    return performance.now() - turnBeganAt
  }

  return {
    dialect: sqliteDialect,
    query: read,
    transaction: (work, allowed) => (allowed ? whenAllowed(allowed, work) : transaction(work)),
    changeSchema: (work) => transaction((tx) => work(schemaIn(tx))),
    exclusively: transaction,
    urgently,
    aside: { dialect: sqliteDialect, query: read },
    // Half of the time, because it may have come at any moment of the turn before, and waited as long again.
    hasRoomFor: (kind) => turnAgeMs() < waitMsMax / 2 && (kind === 'read' || commits.hasRoom()),
    waiting,
    listen(channel, heard) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), heard])
    },
    condition: conditionOf(file, writer, urgently),
    log: logOf(file, writer, endSnapshot),
    async close() {
      if (closed) return
      await commits.idle()
      closed = true
      endSnapshot()
      closeConnection(reader)
      closeConnection(writer)
      lock?.release()
    },
  }
}

interface OpenFile {
  readonly file: string
  readonly writer: Connection
  readonly reader: Connection
  readonly lock: ServingLock | undefined
}

function openFile(path: string, serving: boolean, migrating: boolean): OpenFile {
  let lock: ServingLock | undefined
  try {
    const file = makeFile(path)
    if (serving) lock = lockForServing(file)
    if (migrating) refuseBesideOldProgram(file)
    const writer = openConnection(file)
    // What a savepoint would undo is kept in memory: a file would be written with each of them.
    writer.run('PRAGMA temp_store = MEMORY')
    limitLog(writer)
    // Reads have a connection of their own, so they see only what is committed, even while a batch is being written.
    const reader = openConnection(file)
    reader.run('PRAGMA query_only = ON')
    keepOthersOutOf(file)
    return { file, writer, reader, lock }
  } catch (error) {
    lock?.release()
    throw new Error(`The database ${path} ${whyNot(error)}`)
  }
}

function whyNot(error: unknown): string {
  if (error instanceof ServedAlready)
    return `is served by ${error.holder} already. Stop that first, or set DATABASE_URL to another file; only PostgreSQL can be shared by several services.`
  if (error instanceof OpenElsewhere)
    return 'is open in another process. Stop every program that uses it first: an older one would go on writing without what the new schema needs.'
  const reason = error instanceof DatabaseUnavailable ? error.cause : error
  const why = reason instanceof Error ? reason.message : String(reason)
  const other =
    conditionAfter(error) === 'damaged'
      ? 'another file, or restore a backup with petstore restore'
      : 'a file that can be written'
  return `cannot be opened (${why}). Set DATABASE_URL to sqlite:<path> of ${other}.`
}
