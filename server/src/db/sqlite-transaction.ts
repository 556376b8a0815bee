import type { Awaitable } from '../lib/awaitable.ts'
import type { Dialect, Transaction, Value } from './database.ts'
import { type Connection, run } from './sqlite-connection.ts'

export type Notice = [channel: string, payload: string]
export type WriteResult = { value: unknown } | { error: unknown }

/** Does a write so that its failure undoes it alone, and adds to `notices` what listeners are told when it is committed. */
export type Attempt = (work: (tx: Transaction) => Awaitable<unknown>, notices: Notice[]) => Promise<WriteResult>

/** Writes run one after the other, in the transaction that was begun for all of them: one object does for all. */
export function createAttempt(writer: Connection, dialect: Dialect): Attempt {
  /** The last id of a table that the write under way has drawn. */
  const drawn = new Map<string, number>()
  let told: Notice[] = []

  const tell = (channel: string, payload: string) => void told.push([channel, payload])
  const tx: Transaction = {
    dialect,
    query: (sql, params) => asked(writer, sql, params),
    send: (sql, params) => void run(writer, sql, params),
    nextId(table) {
      const id = (drawn.get(table) ?? lastId(writer, table)) + 1
      drawn.set(table, id)
      return id
    },
    async savepoint(work) {
      const toldBefore = told.length
      run(writer, 'SAVEPOINT step')
      try {
        const value = await work()
        run(writer, 'RELEASE step')
        return value
      } catch (error) {
        told.length = toldBefore
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

  return async (work, notices) => {
    drawn.clear()
    told = notices
    try {
      return { value: await tx.savepoint(() => work(tx)) }
    } catch (error) {
      // A full disk ends the whole transaction; then nobody in the batch may be told that it succeeded.
      if (!writer.inTransaction) throw error
      return { error }
    }
  }
}

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
