import { randomBase62 } from '../lib/random.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { DatabaseUnavailable } from './database.ts'
import { type Session, stateOf } from './postgres-session.ts'

// A pooler with transaction pooling may give a session another backend for each transaction, and a backend serves many sessions.

/** The prepared statement does not exist, or another client's exists. */
const foreignStatement = new Set(['26000', '42P05'])

/** How many sessions to open before concluding that none shares its backend. */
const othersMax = 2

type Open = () => Promise<Session>

/**
 * Throws if a pooler shares backends: settings, prepared statements and notifications would be shared with other clients. It is
 * recognized by a backend that serves two sessions, or by a session whose backend changes.
 */
export async function rejectTransactionPooling(open: Open): Promise<void> {
  try {
    await withSessions(open, async (another) => {
      const first = await another()
      const backend = await backendOf(first)
      for (let others = 0; others < othersMax; others++) {
        const other = await another()
        // Left open, so that the session keeps its backend.
        await other.run('BEGIN')
        if ((await backendOf(other)) === backend) throw transactionPoolingError()
        if ((await backendOf(first)) !== backend) throw transactionPoolingError()
      }
    })
  } catch (error) {
    throw foreignStatement.has(stateOf(error)) ? transactionPoolingError() : error
  }
}

/** How often to try to get the backend that the first session has just used, and how long that session may then take on another. */
const triesMax = 8
const patienceMs = 1_000

/**
 * Whether the pooler prepares a session's statements on every backend that it assigns. True only if that was observed: otherwise one
 * client would run the statements of another.
 */
export async function preparesEverywhere(open: Open): Promise<boolean> {
  const token = randomBase62(16)
  const statement = `SELECT '${token}' AS token, pg_backend_pid() AS pid, $1::bigint AS given`
  const ask = async (session: Session, given: number) =>
    (await session.run<{ token: string; pid: number; given: number }>(statement, [given]))[0]
  const isRight = async (another: () => Promise<Session>) => {
    const [first, other] = [await another(), await another()]
    for (let tries = 0; tries < triesMax; tries++) {
      const before = await ask(first, 1)
      await other.run('BEGIN')
      if ((await backendOf(other)) === before?.pid) {
        // The first session now needs another backend.
        const after = await withTimeout(patienceMs, ask(first, 2), () => new Error('the pooler has no other backend'))
        return after?.token === token && after.given === 2 && after.pid !== before.pid
      }
      await other.run('ROLLBACK')
    }
    return false
  }
  try {
    return await withSessions(open, isRight)
  } catch (error) {
    if (error instanceof DatabaseUnavailable && stateOf(error) === '') throw error
    return false
  }
}

/** Runs `work`, which opens sessions, and closes them all. */
async function withSessions<T>(open: Open, work: (another: Open) => Promise<T>): Promise<T> {
  const opened: Session[] = []
  try {
    return await work(async () => {
      const session = await open()
      opened.push(session)
      return session
    })
  } finally {
    for (const session of opened) session.close()
  }
}

async function backendOf(session: Session): Promise<number> {
  const [row] = await session.run<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return row?.pid ?? 0
}

const transactionPoolingError = () =>
  new Error(
    'DATABASE_URL points to a pooler that shares connections between transactions. Set DATABASE_DIRECT_URL to PostgreSQL itself, for what needs a connection of its own, or configure session pooling (pool_mode = session in PgBouncer).',
  )
