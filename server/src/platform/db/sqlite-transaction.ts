import type { Awaitable } from '../lib/awaitable.ts'
import type { Dialect, Transaction, Value } from './database.ts'
import { lockRow } from './row-lock.ts'
import { type Connection, run, runQuery } from './sqlite-connection.ts'
import { addStatement, insertStatements } from './writes.ts'

export type Notice = [channel: string, payload: string]

/** The result of a write. A failed one may have changed something before it failed. */
export type WriteResult = { value: unknown } | { error: unknown; hasChanged: boolean }

export type Write = (tx: Transaction) => Awaitable<unknown>
export type RunWrite = (work: Write) => Awaitable<WriteResult>

/** Runs writes one after the other, in the transaction that was begun for all of them. */
export interface WriteRunner {
  /** Call this when a transaction has begun. */
  reset(): void
  /** Runs a write as it is: if it fails after changing something, the whole transaction has to be undone. */
  readonly runDirectly: RunWrite
  /** Runs a write in a savepoint, so that a failure undoes only this write. Slower: SQLite copies each page that it changes. */
  readonly runInSavepoint: RunWrite
  /** What to tell listeners after the commit. */
  notices(): readonly Notice[]
}

/** Creates the one runner of a connection, which serves all of its transactions. */
export function createWriteRunner(writer: Connection, dialect: Dialect): WriteRunner {
  /** The last id assigned in each table, unless a write has failed since. */
  const lastIds = new Map<string, number>()
  let notices: Notice[] = []
  // Of the running write:
  let noticesBefore = 0
  let hasChanged = false
  /** The first sent statement that failed. No later statement runs, and the write fails with this reason, as on PostgreSQL. */
  let sendFailure: { readonly reason: unknown } | undefined

  function begin(): void {
    hasChanged = false
    sendFailure = undefined
    noticesBefore = notices.length
  }

  function discardNotices(count: number): void {
    notices.length = count
    lastIds.clear()
  }

  function succeed(value: unknown): WriteResult {
    return sendFailure ? fail(sendFailure.reason) : { value }
  }

  function fail(error: unknown): WriteResult {
    discardNotices(noticesBefore)
    // A full disk ends the whole transaction: then no write in it may be reported as done.
    if (!writer.inTransaction) throw error
    return { error, hasChanged }
  }

  function send(sql: string, params?: readonly Value[]): void {
    if (sendFailure) return
    try {
      run(writer, sql, params)
      hasChanged = true
    } catch (reason) {
      sendFailure = { reason }
    }
  }

  const notify = (channel: string, payload: string) => void notices.push([channel, payload])
  const tx: Transaction = {
    dialect,
    query<R>(sql: string, params?: readonly Value[]) {
      if (sendFailure) return Promise.reject(sendFailure.reason)
      const rows = runQuery<R>(writer, sql, params)
      // A failed statement has changed nothing.
      hasChanged ||= !isRead(sql) && !(rows instanceof Promise)
      return rows
    },
    send,
    insert(insert, rows) {
      for (const { sql, params } of insertStatements(tx, insert, rows)) send(sql, params)
    },
    add(count, id, by) {
      const { sql, params } = addStatement(count, id, by)
      send(sql, params)
    },
    lock: (lock, id) => lockRow(tx, lock, id),
    // No other work shares this transaction.
    keep: () => undefined,
    nextId(table) {
      if (sendFailure) return Promise.reject(sendFailure.reason)
      const id = (lastIds.get(table) ?? readLastId(writer, table)) + 1
      lastIds.set(table, id)
      return id
    },
    async savepoint(work) {
      const noticesBefore = notices.length
      // After a failed statement there is nothing left to undo separately.
      const isOpen = sendFailure === undefined
      if (isOpen) run(writer, 'SAVEPOINT step')
      try {
        const value = await work()
        // A full disk has ended the transaction, and the savepoint with it.
        if (sendFailure && !writer.inTransaction) throw sendFailure.reason
        if (isOpen) run(writer, 'RELEASE step')
        return value
      } catch (error) {
        discardNotices(noticesBefore)
        if (isOpen && writer.inTransaction) {
          run(writer, 'ROLLBACK TO step')
          run(writer, 'RELEASE step')
          sendFailure = undefined
        }
        throw error
      }
    },
    async tryLock() {
      if (sendFailure) throw sendFailure.reason
      return true
    },
    notify,
    notifyLocally: notify,
  }

  return {
    reset() {
      notices = []
      lastIds.clear()
    },
    runDirectly(work) {
      begin()
      try {
        const value = work(tx)
        return value instanceof Promise ? value.then(succeed, fail) : succeed(value)
      } catch (error) {
        return fail(error)
      }
    },
    async runInSavepoint(work) {
      begin()
      try {
        const value = await tx.savepoint(async () => {
          const result = await work(tx)
          if (sendFailure) throw sendFailure.reason
          return result
        })
        return { value }
      } catch (error) {
        hasChanged = false
        return fail(error)
      }
    },
    notices: () => notices,
  }
}

/** Any other statement may change something. */
const isRead = (sql: string): boolean => sql.startsWith('SELECT')

/** SQLite lists a table only after its first row. */
const readLastId = (writer: Connection, table: string): number =>
  run<{ seq: number }>(writer, 'SELECT seq FROM sqlite_sequence WHERE name = $1', [table])[0]?.seq ?? 0
