import { Database as Connection, SQLiteError, type Statement } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { BoundedMap } from '../lib/bounded-map.ts'
import { likePattern } from './clauses.ts'
import {
  ConstraintViolation,
  type Database,
  DatabaseUnavailable,
  type Dialect,
  type Transaction,
  type Value,
} from './database.ts'
import { createLine, waitMsMax } from './line.ts'

const busyTimeoutMs = 5_000
/** A commit is shared by all that wait, but past this many it ends after this time, so that others get a turn. */
const sharedByMin = 50
const sharingMs = 50
const statementsMax = 500

const sqliteDialect: Dialect = {
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  text: 'TEXT',
  counterTable: 'TABLE',
  tableOptions: 'STRICT',
  counterTableOptions: 'STRICT, WITHOUT ROWID',
  forUpdate: '',
  substringIndex: (table, column) => [
    `CREATE VIRTUAL TABLE ${table}_search USING fts5(${column}, content='${table}', content_rowid='id', detail='full', tokenize='trigram case_sensitive 1')`,
    `CREATE TRIGGER ${table}_search_insert AFTER INSERT ON ${table} BEGIN
       INSERT INTO ${table}_search(rowid, ${column}) VALUES (new.id, new.${column}); END`,
    `CREATE TRIGGER ${table}_search_delete AFTER DELETE ON ${table} BEGIN
       INSERT INTO ${table}_search(${table}_search, rowid, ${column}) VALUES ('delete', old.id, old.${column}); END`,
    `CREATE TRIGGER ${table}_search_update AFTER UPDATE OF ${column} ON ${table} BEGIN
       INSERT INTO ${table}_search(${table}_search, rowid, ${column}) VALUES ('delete', old.id, old.${column});
       INSERT INTO ${table}_search(rowid, ${column}) VALUES (new.id, new.${column}); END`,
  ],
  keepWritersOut: () => [], // every transaction that writes does
  routine: () => [],
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
}

type Outcome = { value: unknown; notices: [channel: string, payload: string][] } | { error: unknown }

export function openSqlite(path: string): Database {
  const { writer, reader } = openFile(path)
  const listeners = new Map<string, ((payload: string) => void)[]>()
  const line = createLine<Job>(({ reject }) => reject(new DatabaseUnavailable(`not begun within ${waitMsMax} ms`)))
  let draining: Promise<void> | undefined
  let closed = false
  let inSnapshot = false
  let turnBeganAt: number | undefined

  // Group commit: all writes that wait when a batch begins share its one fsync, each in a savepoint of its own.
  async function drain(): Promise<void> {
    // A turn of the event loop, so that requests read from the sockets together are committed together.
    await turnOfTheLoop()
    while (line.length > 0) {
      const batch: Job[] = []
      await commitTogether(batch).catch((error) => {
        for (const job of batch.length > 0 ? batch : line.dissolve()) job.reject(translate(error))
      })
      await turnOfTheLoop()
    }
    draining = undefined
  }

  async function commitTogether(batch: Job[]): Promise<void> {
    const outcomes: Outcome[] = []
    const endsAt = performance.now() + sharingMs
    const isOpen = () => batch.length < sharedByMin || performance.now() < endsAt
    try {
      run(writer, 'BEGIN IMMEDIATE')
      for (let job = line.take(); job; job = isOpen() ? line.take() : undefined) {
        batch.push(job)
        outcomes.push(await attempt(job))
      }
      // First: while a snapshot is open, the commit cannot begin the log anew, and it would grow.
      endSnapshot()
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
      if (line.join({ work, resolve, reject })) draining ??= drain()
      else reject(new DatabaseUnavailable(`more wait than can be done within ${waitMsMax} ms`))
    })

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
    query: async (sql, params) => read(sql, params),
    transaction,
    exclusively: transaction,
    aside: { dialect: sqliteDialect, query: async (sql, params) => read(sql, params) },
    // Half of the time, because it may have come at any moment of the turn before, and waited as long again.
    hasRoomFor: (kind) => turnAgeMs() < waitMsMax / 2 && (kind === 'read' || line.hasRoom()),
    waiting: () => line.length,
    check: async () => void read('SELECT 1'),
    listen(channel, heard) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), heard])
    },
    async close() {
      if (closed) return
      await draining
      closed = true
      endSnapshot()
      closeConnection(reader)
      closeConnection(writer)
    },
  }
}

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

function openFile(path: string): { writer: Connection; reader: Connection } {
  try {
    mkdirSync(dirname(path), { recursive: true })
    const writer = openConnection(path)
    // Reads have a connection of their own, so they see only what is committed, even while a batch is being written.
    const reader = openConnection(path)
    reader.run('PRAGMA query_only = ON')
    return { writer, reader }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The database ${path} cannot be opened (${why}). Set DATABASE_URL to sqlite:<path> of a file that can be written.`,
    )
  }
}

function openConnection(path: string): Connection {
  const connection = new Connection(path, { create: true, strict: true })
  connection.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  connection.run('PRAGMA journal_mode = WAL')
  connection.run('PRAGMA synchronous = FULL')
  connection.run('PRAGMA foreign_keys = ON')
  connection.run('PRAGMA cache_size = -65536')
  return connection
}

// A connection that was closed does not answer this question; it throws.
function isInTransaction(connection: Connection): boolean {
  try {
    return connection.inTransaction
  } catch {
    return false
  }
}

/** Statements first: while one is left, SQLite keeps the file open and its log beside it. */
function closeConnection(connection: Connection): void {
  for (const statement of statements.get(connection)?.values() ?? []) statement.finalize()
  statements.delete(connection)
  connection.close()
}

const statements = new WeakMap<Connection, BoundedMap<string, Statement>>()

function run<R>(connection: Connection, sql: string, params: readonly Value[] = []): R[] {
  let prepared = statements.get(connection)
  if (!prepared) {
    prepared = new BoundedMap(statementsMax)
    statements.set(connection, prepared)
  }
  try {
    let statement = prepared.get(sql)
    if (!statement) {
      // SQLite numbers `?1` by its digit; `$1` would be a name, bound in order of appearance.
      statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'))
      prepared.set(sql, statement)
    }
    return statement.all(...params) as R[]
  } catch (error) {
    throw translate(error)
  }
}

const violations = {
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreign key',
  SQLITE_CONSTRAINT_CHECK: 'check',
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'unique',
} as const

function translate(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !error.code) {
    // A connection that was closed throws no SQLiteError but one of two others, without a code.
    return error instanceof Error && /\bclosed\b/.test(error.message) ? new DatabaseUnavailable(error) : error
  }
  if (error.code in violations) return new ConstraintViolation(violations[error.code as keyof typeof violations], error)
  if (/^SQLITE_(BUSY|IOERR|FULL|READONLY|CANTOPEN|CORRUPT|NOTADB)/.test(error.code))
    return new DatabaseUnavailable(error)
  return error
}
