import { jitter } from '../lib/random.ts'
import type { Queryable, SchemaSession, Tell, Value } from './database.ts'

/** Whoever comes after a statement that waits for a lock waits too, so it gives up soon and leaves them time in between. */
const lockTimeoutMs = 200
const pauseMinMs = 1_000
const pauseMaxMs = 15_000
const otherNodePauseMs = 250
const lookForBlockersEveryMs = 40

/** The same in all releases: a node of an older one must not change the schema meanwhile either. */
const schemaLock = "hashtextextended('petstore', 0)"

const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'

class OtherNodeAtWork extends Error {}

class LockTaken extends Error {
  constructor(
    readonly statement: string,
    readonly blockedBy: string | undefined,
  ) {
    super('the lock is taken')
  }
}

/** Asks on another connection than the one that waits. */
type Ask = <R>(sql: string, params: readonly Value[]) => Promise<R[]>

/**
 * Changes the schema on one connection while no other node does; `ask` finds out meanwhile who holds it up. Whenever `work` would have to wait for a lock, everything is let go
 * and it is begun again later.
 */
export async function changeSchema<T>(
  connection: Queryable,
  work: (schema: SchemaSession) => Promise<T>,
  tell: Tell,
  ask: Ask,
): Promise<T> {
  const [own] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const watch = watchBlockers(ask, own?.pid ?? 0)
  let otherNodeSeen = false
  for (let pauseMs = pauseMinMs; ; ) {
    try {
      return await alone(connection, () => work(schemaOn(connection, tell, watch)))
    } catch (error) {
      if (error instanceof OtherNodeAtWork) {
        if (!otherNodeSeen) tell('info', 'another node changes the schema: this one waits')
        otherNodeSeen = true
        await pause(otherNodePauseMs)
      } else if (error instanceof LockTaken) {
        const { statement, blockedBy } = error
        tell('warn', 'the schema cannot be changed now and will be tried again', { statement, blockedBy })
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

function schemaOn(connection: Queryable, tell: Tell, watch: Watch): SchemaSession {
  async function runWatched<R>(sql: string, params: readonly Value[] = [], found?: (blockers: string) => void) {
    const watching = watch(found)
    try {
      return await connection.query<R>(sql, params)
    } catch (error) {
      throw isLockTrouble(error) ? new LockTaken(sql, watching.blockers()) : error
    } finally {
      watching.stop()
    }
  }
  const query: Queryable['query'] = (sql, params) => runWatched(sql, params)
  // Nobody waits for what follows, but it waits for the transactions that began before it: for as long as it takes, or the work
  // done so far would be lost.
  const concurrently = async (sql: string) => {
    const found = (blockedBy: string) =>
      tell('info', 'older transactions have to end first', { statement: sql, blockedBy })
    await runWatched(sql, [], found)
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

/** Who stands in the way of a session: asked of the server's locks, which know transactions of other roles too. */
const blockersOf = `SELECT concat('process ', pid, ' of ' || usename, ' (' || nullif(application_name, '') || ')',
    ', begun ' || round(extract(epoch FROM clock_timestamp() - xact_start)) || ' s ago') AS text
  FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids($1::int)) ORDER BY pid LIMIT 5`

type Watch = (found?: (blockers: string) => void) => { blockers(): string | undefined; stop(): void }

/** Looks again and again who holds up process `pid`, and tells when it has found them for the first time. */
const watchBlockers =
  (ask: Ask, pid: number): Watch =>
  (found) => {
    let blockers: string | undefined
    let isAsking = false
    const look = async () => {
      if (isAsking) return
      isAsking = true
      const rows = await ask<{ text: string }>(blockersOf, [pid]).catch(() => [])
      isAsking = false
      if (rows.length === 0) return
      if (blockers === undefined) found?.(rows.map(({ text }) => text).join('; '))
      blockers = rows.map(({ text }) => text).join('; ')
    }
    const timer = setInterval(look, lookForBlockersEveryMs)
    return { blockers: () => blockers, stop: () => clearInterval(timer) }
  }

/** The engine's code for it, wherever in the chain of causes it stands. */
function isLockTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errno } = error as { errno?: unknown }
  return errno === lockNotAvailable || errno === deadlockDetected || isLockTrouble(error.cause)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, jitter(ms)))
