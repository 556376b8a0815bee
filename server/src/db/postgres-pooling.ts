import { type Session, stateOf } from './postgres-session.ts'

/** The prepared statement is not there, or is there already, and somebody else's. */
const strangers = new Set(['26000', '42P05'])

/** As many sessions as may have to be tried before one is seen to share its backend. */
const othersMax = 2

/**
 * Refuses a pooler that gives a session another backend with every transaction: settings, prepared statements and
 * notifications would be shared with strangers. A backend that serves two sessions at once, or not the same
 * session twice, is the sign of it.
 */
export async function refuseTransactionPooling(open: () => Promise<Session>): Promise<void> {
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
      // Left open, so that the backend stays with it.
      await other.run('BEGIN')
      if ((await backendOf(other)) === backend) throw poolingFound()
      if ((await backendOf(first)) !== backend) throw poolingFound()
    }
  } catch (error) {
    throw strangers.has(stateOf(error)) ? poolingFound() : error
  } finally {
    for (const session of opened) session.close()
  }
}

async function backendOf(session: Session): Promise<number> {
  const [row] = await session.run<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return row?.pid ?? 0
}

const poolingFound = () =>
  new Error(
    'DATABASE_URL leads to a pooler that shares connections between transactions. Let it pool by session (pool_mode = session in PgBouncer), or connect to PostgreSQL itself.',
  )
