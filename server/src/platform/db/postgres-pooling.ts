import { type Session, stateOf } from './postgres-session.ts'

/** The prepared statement does not exist, or another client's exists. */
const foreignStatement = new Set(['26000', '42P05'])

/** How many sessions to open before concluding that none shares its backend. */
const othersMax = 2

/**
 * Throws if a pooler gives a session another backend with every transaction: settings, prepared statements and notifications would be
 * shared with other clients. It is recognized by a backend that serves two sessions, or by a session that changes its backend.
 */
export async function rejectTransactionPooling(open: () => Promise<Session>): Promise<void> {
  const opened: Session[] = []
  const another = async () => {
    const session = await open()
    opened.push(session)
    return session
  }
  try {
    const first = await another()
    const backend = await backendOf(first)
    for (let others = 0; others < othersMax; others++) {
      const other = await another()
      // Left open, so that the session keeps its backend.
      await other.run('BEGIN')
      if ((await backendOf(other)) === backend) throw transactionPoolingError()
      if ((await backendOf(first)) !== backend) throw transactionPoolingError()
    }
  } catch (error) {
    throw foreignStatement.has(stateOf(error)) ? transactionPoolingError() : error
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
    'DATABASE_URL points to a pooler that shares connections between transactions. Configure session pooling (pool_mode = session in PgBouncer), or connect to PostgreSQL directly.',
  )
