import type { Awaitable } from '../lib/awaitable.ts'
import { DatabaseUnavailable, type Dialect, type Transaction, type Value } from './database.ts'
import type { Deadline, Pool } from './postgres-pool.ts'
import { isInFailedTransaction, type Session, stateOf } from './postgres-session.ts'
import { createWriteBuffer } from './postgres-write-buffer.ts'
import { lockRow } from './row-lock.ts'

export type Notice = [channel: string, payload: string]

export type Work<T> = (tx: Transaction) => Awaitable<T>

interface TransactionTask<T> {
  readonly dialect: Dialect
  readonly deadlineAt: number
  readonly work: Work<T>
  /** Awaited before the commit. */
  readonly allowed: Promise<void> | undefined
}

/** Whether the connection was lost: the server did not respond, or is shutting down. */
const isLost = (error: unknown): boolean => error instanceof DatabaseUnavailable && /^(08|57P|$)/.test(stateOf(error))

/**
 * Runs one transaction. If it is not committing by its deadline, it is withdrawn: cancelled, and never committed. Either the deadline
 * or the commit comes first, so a client that is told that nothing was done can rely on it.
 */
export async function runInTransaction<T>(
  pool: Pool,
  { dialect, deadlineAt, work, allowed }: TransactionTask<T>,
): Promise<{ value: T; notices: Notice[] }> {
  let state: 'open' | 'withdrawn' | 'committing' | 'over' = 'open'
  const tooLate = () => new DatabaseUnavailable('not done by its deadline, and withdrawn')
  const deadline: Deadline = {
    at: deadlineAt,
    onLate(session) {
      // Never cancel a commit: the server would stop waiting for its replicas and report success.
      if (state !== 'open') return
      state = 'withdrawn'
      session.cancel()
    },
  }

  return pool.use(deadline, async (session) => {
    const notices: Notice[] = []
    const sent: Promise<unknown>[] = []
    const failures = createFailures()
    try {
      if (performance.now() >= deadlineAt) throw tooLate()
      // Not awaited: it is pipelined with the first statement of the work.
      const begun = session.begin()
      begun.catch(() => undefined)
      const { tx, flush } = createTransaction(session, {
        dialect,
        notices,
        sent,
        failures,
        isOpen: () => state === 'open',
      })
      const value = await work(tx)
      if (allowed) await allowed
      if (state !== 'open' || performance.now() >= deadlineAt) throw tooLate()
      flush()
      state = 'committing'
      await commit(session, [begun, ...sent])
      state = 'over'
      return { value, notices }
    } catch (error) {
      const [isWithdrawn, isEnded] = [state === 'withdrawn', state === 'committing']
      // Set first: another branch of the work must not send statements after the rollback.
      state = 'over'
      if (!isEnded) await rollBack(session)
      throw isWithdrawn ? tooLate() : failures.causeOf(error)
    }
  })
}

/** Pipelined with the statements sent before it. If one of them failed, the server rolls back instead, and its failure is thrown. */
async function commit(session: Session, sent: readonly Promise<unknown>[]): Promise<void> {
  const committed = session.run('COMMIT')
  const failed = (await Promise.allSettled([...sent, committed])).find((response) => response.status === 'rejected')
  if (failed) throw isLost(failed.reason) ? new DatabaseUnavailable(failed.reason, 'unknown') : failed.reason
  const { command } = await committed
  // The server responds to COMMIT in a failed transaction with ROLLBACK, and without an error.
  if (command !== 'COMMIT') throw new Error('A failed statement was ignored, so the transaction was rolled back.')
}

/** Awaited, so that a retry finds no lock of this transaction. If it fails, the connection is closed. */
async function rollBack(session: Session): Promise<void> {
  if (session.isClosed) return
  await session.run('ROLLBACK').catch(() => session.close())
}

interface Failures {
  note(error: unknown): void
  /** The reason for a failure: after a failed statement the server rejects all later ones without repeating its reason. */
  causeOf(error: unknown): unknown
}

function createFailures(): Failures {
  let cause: unknown
  return {
    note(error) {
      if (!isInFailedTransaction(error)) cause = error
    },
    causeOf: (error) => (isInFailedTransaction(error) ? (cause ?? error) : error),
  }
}

interface TransactionState {
  readonly dialect: Dialect
  readonly notices: Notice[]
  /** Statements that have to succeed before the commit. */
  readonly sent: Promise<unknown>[]
  readonly failures: Failures
  readonly isOpen: () => boolean
}

function createTransaction(session: Session, { dialect, notices, sent, failures, isOpen }: TransactionState) {
  let depth = 0

  async function run<R>(sql: string, params?: readonly Value[]): Promise<R[]> {
    if (!isOpen()) throw new DatabaseUnavailable('the transaction is over')
    try {
      return await session.run(sql, params)
    } catch (error) {
      failures.note(error)
      throw failures.causeOf(error)
    }
  }

  const writes = createWriteBuffer({ dialect, query }, (sql, params) => {
    const result = run(sql, params)
    result.catch(() => undefined)
    sent.push(result)
  })

  function query<R>(sql: string, params?: readonly Value[]): Promise<R[]> {
    writes.flush()
    return run(sql, params)
  }
  // Not awaited: it is pipelined with the next statement, which fails too if this one does.
  const pipeline = (statement: string) => void query(statement).catch(() => undefined)
  const send: Transaction['send'] = (sql, params = []) => writes.statement(sql, params)
  const tx: Transaction = {
    dialect,
    query,
    send,
    insert: writes.insert,
    add: writes.add,
    lock: (lock, id) => lockRow(tx, lock, id),
    // No other work shares this transaction.
    keep: () => undefined,
    async nextId(table) {
      const [row] = await query<{ id: number }>(`SELECT nextval('${table}_id_seq') AS id`)
      return (row as { id: number }).id
    },
    async savepoint(work) {
      const [sentBefore, noticesBefore] = [sent.length, notices.length]
      // A name per level: in a failed transaction an inner savepoint cannot be released, and must not be mistaken for the outer one.
      const name = `step${++depth}`
      pipeline(`SAVEPOINT ${name}`)
      try {
        return await work()
      } catch (error) {
        writes.clear()
        pipeline(`ROLLBACK TO ${name}`)
        // Undone, whether they succeeded or not.
        sent.length = sentBefore
        notices.length = noticesBefore
        throw failures.causeOf(error)
      } finally {
        pipeline(`RELEASE ${name}`)
        depth--
      }
    },
    async tryLock(name) {
      const [row] = await query<{ taken: boolean }>(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
        [name],
      )
      return row?.taken === true
    },
    notify(channel, payload) {
      notices.push([channel, payload])
      send('SELECT pg_notify($1, $2)', [channel, payload])
    },
    notifyLocally: (channel, payload) => void notices.push([channel, payload]),
  }
  return { tx, flush: writes.flush }
}
