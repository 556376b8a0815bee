import type { Awaitable } from '../lib/awaitable.ts'
import { DatabaseUnavailable, type Dialect, type Transaction, type Value } from './database.ts'
import { canJoin, merge, type Statement } from './postgres-merge.ts'
import type { Deadline, Pool } from './postgres-pool.ts'
import { isAftermath, type Session, stateOf } from './postgres-session.ts'

export type Notice = [channel: string, payload: string]

export type Work<T> = (tx: Transaction) => Awaitable<T>

interface Task<T> {
  readonly dialect: Dialect
  readonly deadlineAt: number
  readonly work: Work<T>
  /** Waited for before the commit. */
  readonly allowed: Promise<void> | undefined
}

/** The connection was lost: the server has said nothing, or that it is going away. */
const isLost = (error: unknown): boolean => error instanceof DatabaseUnavailable && /^(08|57P|$)/.test(stateOf(error))

/**
 * One transaction. It is withdrawn when it is not about to commit by its deadline: what it does is cancelled, and it never
 * commits. Either the deadline comes first or the commit, so whoever is told that nothing was done can rely on it.
 */
export async function inTransaction<T>(
  pool: Pool,
  { dialect, deadlineAt, work, allowed }: Task<T>,
): Promise<{ value: T; notices: Notice[] }> {
  let state: 'open' | 'withdrawn' | 'committing' | 'over' = 'open'
  const tooLate = () => new DatabaseUnavailable('not done by its deadline, and withdrawn')
  const deadline: Deadline = {
    at: deadlineAt,
    late(session) {
      // A commit is never cancelled: the server would stop waiting for its replicas and call that a success.
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
      // Not waited for: it travels with the first statement of the work.
      const begun = session.run('BEGIN')
      begun.catch(() => undefined)
      const { tx, sendWaiting } = transactionOn(session, {
        dialect,
        notices,
        sent,
        failures,
        isOpen: () => state === 'open',
      })
      const value = await work(tx)
      if (allowed) await allowed
      if (state !== 'open' || performance.now() >= deadlineAt) throw tooLate()
      sendWaiting()
      state = 'committing'
      await commit(session, [begun, ...sent])
      state = 'over'
      return { value, notices }
    } catch (error) {
      const [withdrawn, ended] = [state === 'withdrawn', state === 'committing']
      // First: what another branch of the work sends now would be done outside the transaction.
      state = 'over'
      if (!ended) await undo(session)
      throw withdrawn ? tooLate() : failures.causeOf(error)
    }
  })
}

/** Travels with what was sent before it. Where one of that fails, the server rolls back instead, and the failure is told. */
async function commit(session: Session, sent: readonly Promise<unknown>[]): Promise<void> {
  const committed = session.run('COMMIT')
  const failed = (await Promise.allSettled([...sent, committed])).find((answer) => answer.status === 'rejected')
  if (failed) throw isLost(failed.reason) ? new DatabaseUnavailable(failed.reason, 'unknown') : failed.reason
  const { command } = await committed
  // A transaction that has failed is rolled back by COMMIT too, and that is no error to the server.
  if (command !== 'COMMIT') throw new Error('A failed statement was passed over, so the transaction was rolled back.')
}

/** Waited for, so that whoever sends the same again finds no lock of this one; a connection that cannot is cut. */
async function undo(session: Session): Promise<void> {
  if (session.isClosed) return
  await session.run('ROLLBACK').catch(() => session.close())
}

interface Failures {
  note(error: unknown): void
  /** What is behind a failure: once a statement has failed, the server refuses those after it, and they may be heard of first. */
  causeOf(error: unknown): unknown
}

function createFailures(): Failures {
  let cause: unknown
  return {
    note(error) {
      if (!isAftermath(error)) cause = error
    },
    causeOf: (error) => (isAftermath(error) ? (cause ?? error) : error),
  }
}

interface Parts {
  readonly dialect: Dialect
  readonly notices: Notice[]
  /** Statements that have to succeed before the commit. */
  readonly sent: Promise<unknown>[]
  readonly failures: Failures
  readonly isOpen: () => boolean
}

function transactionOn(session: Session, { dialect, notices, sent, failures, isOpen }: Parts) {
  /** Writes that become one statement; anything else goes after them. */
  const waiting: Statement[] = []

  async function run<R>(sql: string, params?: readonly Value[]): Promise<R[]> {
    if (!isOpen()) throw new DatabaseUnavailable('the transaction is over')
    try {
      return await session.run(sql, params)
    } catch (error) {
      failures.note(error)
      throw error
    }
  }

  function sendWaiting(): void {
    if (waiting.length === 0) return
    const { sql, params } = merge(waiting.splice(0))
    const answer = run(sql, params)
    answer.catch(() => undefined)
    sent.push(answer)
  }

  function query<R>(sql: string, params?: readonly Value[]): Promise<R[]> {
    sendWaiting()
    return run(sql, params)
  }
  // Not waited for: it travels with the statement after it, and if it fails, that fails as well.
  const mark = (statement: string) => void query(statement).catch(() => undefined)
  const send: Transaction['send'] = (sql, params = []) => {
    const statement = { sql, params }
    if (!canJoin(waiting, statement)) sendWaiting()
    waiting.push(statement)
  }
  const tx: Transaction = {
    dialect,
    query,
    send,
    async nextId(table) {
      const [row] = await query<{ id: number }>(`SELECT nextval('${table}_id_seq') AS id`)
      return (row as { id: number }).id
    },
    async savepoint(work) {
      const [sentBefore, toldBefore] = [sent.length, notices.length]
      mark('SAVEPOINT step')
      try {
        return await work()
      } catch (error) {
        waiting.length = 0
        mark('ROLLBACK TO step')
        // Undone, whether they succeeded or not.
        sent.length = sentBefore
        notices.length = toldBefore
        throw failures.causeOf(error)
      } finally {
        mark('RELEASE step')
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
    tellHere: (channel, payload) => void notices.push([channel, payload]),
  }
  return { tx, sendWaiting }
}
