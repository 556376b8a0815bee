import { setTimeout as pause } from 'node:timers/promises'
import { jitter } from '../lib/random.ts'
import { likePattern } from './clauses.ts'
import { type Database, DatabaseUnavailable, type Dialect, type Transaction, type Value } from './database.ts'
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

/** How long a write waits while another process has the lock. */
const patienceMs = 5_000
const pauseMaxMs = 25
/** Writes in one commit: more would keep everybody else waiting for too long. */
const batchMax = 250

const sqliteDialect: Dialect = {
  engine: 'sqlite',
  hasTable: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1",
  forUpdate: '',
  snapshot: [], // a transaction here keeps all other writers out
  highestId: (table) => `SELECT seq AS highest FROM sqlite_sequence WHERE name = '${table}'`,
  continueIds: (table, highest) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${highest})`,
  ],
  // Three characters are the least that a trigram index can find; shorter parts are mostly common, and a page fills quickly. The
  // index gives what it finds in the order of ids, so they are taken from it: a page by id then reads no more than it shows.
  // CROSS JOIN keeps the index first; the other way round it would be searched anew for every row.
  containing: (table, fields, column, part) =>
    [...part].length < 3
      ? { select: `SELECT id, ${fields} FROM ${table}`, where: [`${column} LIKE ? ESCAPE '\\'`, likePattern(part)] }
      : {
          select: `SELECT ${table}_search.rowid AS id, ${fields} FROM ${table}_search
            CROSS JOIN (SELECT id AS found_id, ${fields} FROM ${table})`,
          where: [`found_id = ${table}_search.rowid AND ${table}_search MATCH ?`, `"${part.replaceAll('"', '""')}"`],
        },
}

interface Job {
  readonly work: (tx: Transaction) => Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
  /** When to give up, by performance.now. */
  readonly patientUntil: number
}

type Outcome = { value: unknown; notices: [channel: string, payload: string][] } | { error: unknown }

interface SqliteOptions {
  /** Only one process at a time may open the file with this; others may still read and write it. */
  readonly serving?: boolean
}

export function openSqlite(path: string, { serving = false }: SqliteOptions = {}): Database {
  const { file, writer, reader, lock } = openFile(path, serving)
  const listeners = new Map<string, ((payload: string) => void)[]>()
  let waiting: Job[] = []
  let draining = false
  let closed = false
  let inSnapshot = false

  // Group commit: all writes that wait when a batch begins share its one fsync, each in a savepoint of its own.
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = await begin()
      if (batch.length > 0) {
        await commitTogether(batch).catch((error) => {
          for (const job of batch) job.reject(translate(error))
        })
      }
      // When they were too many for one commit, everybody else has a turn before the next.
      if (batch.length === batchMax) await turnOfTheLoop()
    }
    draining = false
  }

  /** Begins a transaction for those who wait. Nobody does any more: none is begun. */
  async function begin(): Promise<Job[]> {
    for (let pauseMs = 1; waiting.length > 0; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      try {
        run(writer, 'BEGIN IMMEDIATE')
        return waiting.splice(0, batchMax)
      } catch (error) {
        giveUp(error)
      }
      // SQLite's own way to wait for another process would hold up reads and all else in this one.
      await pause(jitter(pauseMs))
    }
    return []
  }

  function giveUp(error: unknown): void {
    const locked = conditionAfter(error) === 'locked'
    const now = performance.now()
    const isPatient = ({ patientUntil }: Job) => locked && now < patientUntil
    const leaving = waiting.filter((job) => !isPatient(job))
    waiting = waiting.filter(isPatient)
    for (const job of leaving) job.reject(error)
  }

  async function commitTogether(batch: Job[]): Promise<void> {
    const outcomes: Outcome[] = []
    try {
      for (const job of batch) outcomes.push(await attempt(job))
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
      const job = batch[index] as Job
      if ('error' in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value as never)
    }
    // After all of them are told: a listener that fails must not make a committed write look failed.
    for (const [channel, payload] of outcomes.flatMap((outcome) => ('notices' in outcome ? outcome.notices : []))) {
      for (const heard of listeners.get(channel) ?? []) heard(payload)
    }
  }

  async function attempt(job: Job): Promise<Outcome> {
    const notices: [string, string][] = []
    const tx: Transaction = {
      dialect: sqliteDialect,
      query: async (sql, params) => run(writer, sql, params),
      savepoint: (work) => inSavepoint(work),
      tryLock: async () => true, // writes run one after the other here
      notify: async (channel, payload) => void notices.push([channel, payload]),
    }
    try {
      return { value: await inSavepoint(() => job.work(tx)), notices }
    } catch (error) {
      // A full disk ends the whole transaction; then nobody in the batch may be told that it succeeded.
      if (!writer.inTransaction) throw error
      return { error }
    }
  }

  async function inSavepoint<T>(work: () => Promise<T>): Promise<T> {
    run(writer, 'SAVEPOINT step')
    try {
      const value = await work()
      run(writer, 'RELEASE step')
      return value
    } catch (error) {
      if (writer.inTransaction) {
        run(writer, 'ROLLBACK TO step')
        run(writer, 'RELEASE step')
      }
      throw error
    }
  }

  // Reads of one turn of the event loop share a snapshot: opening one takes longer than most reads. It also ends with every
  // commit, so that whoever was answered finds what it wrote.
  function read<R>(sql: string, params?: readonly Value[]): R[] {
    if (!inSnapshot) {
      run(reader, 'BEGIN')
      inSnapshot = true
      setImmediate(endSnapshot)
    }
    return run(reader, sql, params)
  }

  function endSnapshot(): void {
    inSnapshot = false
    if (isInTransaction(reader)) run(reader, 'COMMIT')
  }

  const transaction: Database['transaction'] = (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject, patientUntil: performance.now() + patienceMs })
      if (!draining) {
        draining = true
        // So that requests read from the sockets together are committed together.
        void turnOfTheLoop().then(drain)
      }
    })

  return {
    dialect: sqliteDialect,
    query: async (sql, params) => read(sql, params),
    transaction,
    changeSchema: (work) => transaction((tx) => work(schemaIn(tx))),
    exclusively: transaction,
    listen(channel, heard) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), heard])
    },
    condition: conditionOf(file, writer, transaction),
    async close() {
      if (closed) return
      // Waits for the writes before it, whatever becomes of them.
      await transaction(async () => undefined).catch(() => undefined)
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
