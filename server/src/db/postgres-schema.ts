import { jitter } from '../lib/random.ts'
import type { Queryable, SchemaSession, Tell } from './database.ts'

/** Whoever comes after a statement that waits for a lock waits too, so it gives up soon and leaves them time in between. */
const lockTimeoutMs = 200
const pauseMinMs = 1_000
const pauseMaxMs = 15_000
const otherNodePauseMs = 250

/** The same in all releases: a node of an older one must not change the schema meanwhile either. */
const schemaLock = "hashtextextended('petstore', 0)"

const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'

class OtherNodeAtWork extends Error {}

class LockTaken extends Error {
  constructor(readonly statement: string) {
    super('the lock is taken')
  }
}

/**
 * Changes the schema on one connection while no other node does. Whenever `work` would have to wait for a lock, everything is let go
 * and it is begun again later.
 */
export async function changeSchema<T>(
  connection: Queryable,
  work: (schema: SchemaSession) => Promise<T>,
  tell: Tell,
): Promise<T> {
  let otherNodeSeen = false
  for (let pauseMs = pauseMinMs; ; ) {
    try {
      return await alone(connection, () => work(schemaOn(connection, tell)))
    } catch (error) {
      if (error instanceof OtherNodeAtWork) {
        if (!otherNodeSeen) tell('info', 'another node changes the schema: this one waits')
        otherNodeSeen = true
        await pause(otherNodePauseMs)
      } else if (error instanceof LockTaken) {
        const waitsFor = { statement: error.statement, oldestTransaction: await oldestTransaction(connection) }
        tell('warn', 'the schema cannot be changed now and will be tried again', waitsFor)
        await pause(pauseMs)
        pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
      } else throw error
    }
  }
}

/** Tries for the lock instead of waiting: whoever waits in a statement holds up the building of every index. */
async function alone<T>({ query }: Queryable, work: () => Promise<T>): Promise<T> {
  const [lock] = await query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${schemaLock}) AS taken`)
  if (!lock?.taken) throw new OtherNodeAtWork()
  try {
    await query('SET statement_timeout = 0')
    await query('SET lock_timeout = 0')
    return await work()
  } finally {
    await query('RESET lock_timeout')
    await query('RESET statement_timeout')
    await query(`SELECT pg_advisory_unlock(${schemaLock})`)
  }
}

function schemaOn(connection: Queryable, tell: Tell): SchemaSession {
  const query: Queryable['query'] = async (sql, params) => {
    try {
      return await connection.query(sql, params)
    } catch (error) {
      throw isLockTrouble(error) ? new LockTaken(sql) : error
    }
  }
  // Nobody waits for what follows, but it waits for the transactions that began before it: for as long as it takes, or the work
  // done so far would be lost.
  const concurrently = async (sql: string) => {
    const oldest = await oldestTransaction(connection)
    if (oldest) tell('info', 'older transactions have to end first', { statement: sql, oldestTransaction: oldest })
    await query(sql)
  }
  return {
    dialect: connection.dialect,
    query,
    async transaction(work) {
      await query('BEGIN')
      try {
        await query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
        await work()
        await query('COMMIT')
      } catch (error) {
        await query('ROLLBACK')
        throw error
      }
    },
    async buildIndex(name, on) {
      const [index] = await query<{ valid: boolean }>(
        'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
        [name],
      )
      if (index?.valid) return
      // One that is there but not valid was left by a build that did not come to its end.
      if (index) await concurrently(`DROP INDEX CONCURRENTLY ${name}`)
      await concurrently(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`)
    },
    dropIndex: (name) => concurrently(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`),
  }
}

/** Most likely the one that is waited for. */
async function oldestTransaction({ query }: Queryable): Promise<string | undefined> {
  const [oldest] = await query<{ text: string }>(
    `SELECT concat(application_name, ', process ', pid, ', begun ', round(extract(epoch FROM clock_timestamp() - xact_start)), ' s ago') AS text
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
     ORDER BY xact_start LIMIT 1`,
  )
  return oldest?.text
}

/** The engine's code for it, wherever in the chain of causes it stands. */
function isLockTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errno } = error as { errno?: unknown }
  return errno === lockNotAvailable || errno === deadlockDetected || isLockTrouble(error.cause)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, jitter(ms)))
