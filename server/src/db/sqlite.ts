import { setTimeout as pause } from 'node:timers/promises'
import type { Awaitable } from '../lib/awaitable.ts'
import { jitter } from '../lib/random.ts'
import { type Database, DatabaseUnavailable, type Dialect, type Transaction, type Value } from './database.ts'
import { createLine, type Line, waitMsMax } from './line.ts'
import { conditionOf } from './sqlite-condition.ts'
import {
  type Connection,
  closeConnection,
  conditionAfter,
  hasMoved,
  isInTransaction,
  openConnection,
  run,
  translate,
} from './sqlite-connection.ts'
import { keepOthersOutOf, makeFile } from './sqlite-file.ts'
import { lockForServing, ServedAlready, type ServingLock } from './sqlite-lock.ts'
import { schemaIn } from './sqlite-schema.ts'
import { asked, createAttempt, type Notice, type WriteResult } from './sqlite-transaction.ts'

/** How long a write waits at most, which it does while another process has the lock. */
export const patienceMs = 5_000
const pauseMaxMs = 25
/** Writes in one commit: more, or slow ones for longer, would keep everybody else waiting for too long. */
const batchMax = 250
const batchMsMax = 200
/** What a write is thought to take before it was measured. */
const assumedMs = 0.25

const sqliteDialect: Dialect = {
  engine: 'sqlite',
  clock: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now",
  hasTable: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1",
  readsByBounds: false,
  forUpdate: '',
  forUpdateSkippingLocked: '',
  snapshot: [], // a transaction here keeps all other writers out
  // One writes after the other, so ids are in the order of commits.
  transactionNumber: (table) => `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`,
  oldestUnderWay: undefined,
  highestId: (table) => `SELECT seq AS highest FROM sqlite_sequence WHERE name = '${table}'`,
  continueIds: (table, highest) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${highest})`,
  ],
  // Three characters are the least that a trigram index can find.
  containing: (table, _, part) =>
    [...part].length < 3
      ? undefined
      : [`SELECT rowid AS found FROM ${table}_search WHERE ${table}_search MATCH ?`, `"${part.replaceAll('"', '""')}"`],
}

interface WaitingWrite {
  readonly work: (tx: Transaction) => Awaitable<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

interface SqliteOptions {
  /** Only one process at a time may open the file with this; others may still read and write it. */
  readonly serving?: boolean
}

export function openSqlite(path: string, { serving = false }: SqliteOptions = {}): Database {
  const { file, writer, reader, lock } = openFile(path, serving)
  const listeners = new Map<string, ((payload: string) => void)[]>()
  const newLine = () =>
    createLine<WaitingWrite>({ assumedMs, patienceMs }, ({ reject }) =>
      reject(lockedOut ?? new DatabaseUnavailable(`not begun within ${patienceMs} ms`)),
    )
  const line = newLine()
  const ahead = newLine()
  const waiting = () => ahead.length + line.length
  let lockedOut: unknown
  let draining: Promise<void> | undefined
  let closed = false
  let inSnapshot = false
  let turnBeganAt: number | undefined
  const attempt = createAttempt(writer, sqliteDialect)

  // Group commit: all writes that wait when a batch begins share its one fsync, each in a savepoint of its own.
  async function drain(): Promise<void> {
    // So that requests read from the sockets together are committed together.
    await turnOfTheLoop()
    while (waiting() > 0) {
      if (await begin()) {
        const batch: WaitingWrite[] = []
        await commitTogether(batch).catch((error) => {
          for (const job of batch) job.reject(translate(error))
        })
      }
      // When they were too many for one commit, everybody else has a turn before the next.
      if (waiting() > 0) await turnOfTheLoop()
    }
    draining = undefined
  }

  /** Begins a transaction for those who wait. Nobody does any more: none is begun. */
  async function begin(): Promise<boolean> {
    for (let pauseMs = 1; waiting() > 0; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      try {
        run(writer, 'BEGIN IMMEDIATE')
        lockedOut = undefined
        return true
      } catch (error) {
        if (conditionAfter(error) === 'locked') lockedOut = error
        else for (const job of [...ahead.dissolve(), ...line.dissolve()]) job.reject(error)
      }
      // SQLite's own way to wait for another process would hold up reads and all else in this one.
      await pause(jitter(pauseMs))
    }
    return false
  }

  async function commitTogether(batch: WaitingWrite[]): Promise<void> {
    const outcomes: WriteResult[] = []
    const notices: Notice[] = []
    const endsAt = performance.now() + batchMsMax
    const isFull = () => batch.length >= batchMax || performance.now() >= endsAt
    try {
      while (!isFull()) {
        const job = ahead.take() ?? line.take()
        if (!job) break
        batch.push(job)
        outcomes.push(await attempt(job.work, notices))
      }
      // First: while a snapshot is open, the commit cannot begin the log anew, and it would grow.
      endSnapshot()
      // An answer must not promise what is gone at the next start.
      if (hasMoved(writer)) throw new DatabaseUnavailable('the file is not where it was')
      run(writer, 'COMMIT')
    } catch (error) {
      if (isInTransaction(writer)) run(writer, 'ROLLBACK')
      throw error
    }
    for (const [index, outcome] of outcomes.entries()) {
      const job = batch[index] as WaitingWrite
      if ('error' in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value as never)
    }
    // After all of them are told: a listener that fails must not make a committed write look failed.
    for (const [channel, payload] of notices) for (const heard of listeners.get(channel) ?? []) heard(payload)
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

  const transactionIn =
    (line: Line<WaitingWrite>): Database['transaction'] =>
    (work) =>
      new Promise((resolve, reject) => {
        if (line.join({ work, resolve, reject })) draining ??= drain()
        else reject(new DatabaseUnavailable(`more wait than can be done within ${waitMsMax} ms`))
      })
  const transaction = transactionIn(line)

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
    transaction,
    changeSchema: (work) => transaction((tx) => work(schemaIn(tx))),
    exclusively: transaction,
    urgently: transactionIn(ahead),
    aside: { dialect: sqliteDialect, query: read },
    // Half of the time, because it may have come at any moment of the turn before, and waited as long again.
    hasRoomFor: (kind) => turnAgeMs() < waitMsMax / 2 && (kind === 'read' || line.hasRoom()),
    waiting,
    listen(channel, heard) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), heard])
    },
    condition: conditionOf(file, writer, transactionIn(ahead)),
    async close() {
      if (closed) return
      await draining
      closed = true
      endSnapshot()
      closeConnection(reader)
      closeConnection(writer)
      lock?.release()
    },
  }
}

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

interface OpenFile {
  readonly file: string
  readonly writer: Connection
  readonly reader: Connection
  readonly lock: ServingLock | undefined
}

function openFile(path: string, serving: boolean): OpenFile {
  let lock: ServingLock | undefined
  try {
    const file = makeFile(path)
    if (serving) lock = lockForServing(file)
    const writer = openConnection(file)
    // Every write has a savepoint: what it would undo is kept in memory, where a file would be written with each of them.
    writer.run('PRAGMA temp_store = MEMORY')
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
  const reason = error instanceof DatabaseUnavailable ? error.cause : error
  const why = reason instanceof Error ? reason.message : String(reason)
  return `cannot be opened (${why}). Set DATABASE_URL to sqlite:<path> of a file that can be written.`
}
