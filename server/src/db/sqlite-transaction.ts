import type { Awaitable } from '../lib/awaitable.ts'
import type { Dialect, Transaction, Value } from './database.ts'
import { type Connection, run } from './sqlite-connection.ts'

export type Notice = [channel: string, payload: string]

/** What came of a write. One that has failed may have changed something before. */
export type WriteResult = { value: unknown } | { error: unknown; hasChanged: boolean }

export type Write = (tx: Transaction) => Awaitable<unknown>
export type Attempt = (work: Write) => Awaitable<WriteResult>

/** Does writes one after the other, in the transaction that was begun for all of them. */
export interface Writes {
  /** To be called when a transaction has begun. */
  begun(): void
  /** Does a write as it is: if it fails and has changed something, all of them have to be undone. */
  readonly attempt: Attempt
  /** Does a write so that its failure undoes it alone. That takes longer: SQLite keeps a copy of each page that it changes. */
  readonly attemptApart: Attempt
  /** What listeners are told when it is committed. */
  notices(): readonly Notice[]
}

/** One object does for all transactions of a connection. */
export function createWrites(writer: Connection, dialect: Dialect): Writes {
  /** The last id of a table that was drawn, unless a write has failed since. */
  const drawn = new Map<string, number>()
  let told: Notice[] = []
  /** Of the write under way: how many were told before it, and whether it has changed something. */
  let toldBefore = 0
  let hasChanged = false

  function forget(toldSince: number): void {
    told.length = toldSince
    drawn.clear()
  }

  function failed(error: unknown): WriteResult {
    forget(toldBefore)
    // A full disk ends the whole transaction; then nobody in it may be told that it succeeded.
    if (!writer.inTransaction) throw error
    return { error, hasChanged }
  }

  const tell = (channel: string, payload: string) => void told.push([channel, payload])
  const tx: Transaction = {
    dialect,
    query<R>(sql: string, params?: readonly Value[]) {
      const rows = asked<R>(writer, sql, params)
      // A statement that fails has changed nothing.
      hasChanged ||= !isRead(sql) && !(rows instanceof Promise)
      return rows
    },
    send(sql, params) {
      run(writer, sql, params)
      hasChanged = true
    },
    nextId(table) {
      const id = (drawn.get(table) ?? lastId(writer, table)) + 1
      drawn.set(table, id)
      return id
    },
    async savepoint(work) {
      const toldSince = told.length
      run(writer, 'SAVEPOINT step')
      try {
        const value = await work()
        run(writer, 'RELEASE step')
        return value
      } catch (error) {
        forget(toldSince)
        if (writer.inTransaction) {
          run(writer, 'ROLLBACK TO step')
          run(writer, 'RELEASE step')
        }
        throw error
      }
    },
    tryLock: async () => true,
    notify: tell,
    tellHere: tell,
  }

  return {
    begun() {
      told = []
      drawn.clear()
    },
    attempt(work) {
      hasChanged = false
      toldBefore = told.length
      try {
        const value = work(tx)
        return value instanceof Promise ? value.then(done, failed) : done(value)
      } catch (error) {
        return failed(error)
      }
    },
    attemptApart(work) {
      toldBefore = told.length
      return tx
        .savepoint(() => work(tx))
        .then(done, (error) => {
          hasChanged = false
          return failed(error)
        })
    },
    notices: () => told,
  }
}

const done = (value: unknown): WriteResult => ({ value })

/** Others may change something, however they begin. */
const isRead = (sql: string): boolean => sql.startsWith('SELECT')

/** A failure is a promise that rejects, as on the other engine. */
export function asked<R>(connection: Connection, sql: string, params?: readonly Value[]): Awaitable<R[]> {
  try {
    return run(connection, sql, params)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** A table that never had a row is not in the list. */
const lastId = (writer: Connection, table: string): number =>
  run<{ seq: number }>(writer, 'SELECT seq FROM sqlite_sequence WHERE name = $1', [table])[0]?.seq ?? 0
