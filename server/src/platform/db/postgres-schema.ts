import { jitter } from '../lib/random.ts'
import type { Queryable, ReportProgress, SchemaSession, Value } from './database.ts'

/** Statements queue behind one that waits for a lock, so it gives up quickly and lets them run in between. */
const lockTimeoutMs = 200
const pauseMinMs = 1_000
const pauseMaxMs = 15_000
const otherNodePauseMs = 250
const blockerPollMs = 40

/** The same in all releases, so that a node of an older one does not change the schema meanwhile. */
const schemaLock = "hashtextextended('petstore', 0)"

const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'

class OtherNodeMigrating extends Error {}

class LockTaken extends Error {
  constructor(
    readonly statement: string,
    readonly blockedBy: string | undefined,
  ) {
    super('the lock is taken')
  }
}

/** Runs a query on another connection than the one that waits. */
type QueryElsewhere = <R>(sql: string, params: readonly Value[]) => Promise<R[]>

/**
 * Changes the schema on one connection while no other node does; `queryElsewhere` finds out what blocks it. Whenever `work` would have
 * to wait for a lock, it is rolled back and retried later.
 */
export async function changeSchema<T>(
  connection: Queryable,
  work: (schema: SchemaSession) => Promise<T>,
  report: ReportProgress,
  queryElsewhere: QueryElsewhere,
): Promise<T> {
  const [own] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const watch = watchBlockers(queryElsewhere, own?.pid ?? 0)
  let isOtherNodeReported = false
  for (let pauseMs = pauseMinMs; ; ) {
    try {
      return await runExclusively(connection, () => work(createSchemaSession(connection, report, watch)))
    } catch (error) {
      if (error instanceof OtherNodeMigrating) {
        if (!isOtherNodeReported) report('info', 'another node is changing the schema: this one waits')
        isOtherNodeReported = true
        await pause(otherNodePauseMs)
      } else if (error instanceof LockTaken) {
        const { statement, blockedBy } = error
        report('warn', 'the schema cannot be changed now: this will be retried', { statement, blockedBy })
        await pause(pauseMs)
        pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
      } else throw error
    }
  }
}

/** Tries to get the lock instead of waiting for it: a waiting statement would block every index build. */
async function runExclusively<T>({ query }: Queryable, work: () => Promise<T>): Promise<T> {
  const [lock] = await query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${schemaLock}) AS taken`)
  if (!lock?.taken) throw new OtherNodeMigrating()
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

function createSchemaSession(connection: Queryable, report: ReportProgress, watch: Watch): SchemaSession {
  async function runWatched<R>(sql: string, params: readonly Value[] = [], onBlocked?: (blockers: string) => void) {
    const watching = watch(onBlocked)
    try {
      return await connection.query<R>(sql, params)
    } catch (error) {
      throw isLockFailure(error) ? new LockTaken(sql, watching.blockers()) : error
    } finally {
      watching.stop()
    }
  }
  const query: Queryable['query'] = (sql, params) => runWatched(sql, params)
  // Blocks no one, but waits for all older transactions, without a timeout: otherwise the work done so far would be lost.
  const concurrently = async (sql: string) => {
    const onBlocked = (blockedBy: string) =>
      report('info', 'older transactions have to end first', { statement: sql, blockedBy })
    await runWatched(sql, [], onBlocked)
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
      // An invalid index was left by a build that did not finish.
      if (index) await concurrently(`DROP INDEX CONCURRENTLY ${name}`)
      await concurrently(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`)
    },
    dropIndex: (name) => concurrently(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`),
  }
}

/** Describes the sessions that block a session. The server's locks include transactions of other roles. */
const selectBlockers = `SELECT concat('process ', pid, ' of ' || usename, ' (' || nullif(application_name, '') || ')',
    ', begun ' || round(extract(epoch FROM clock_timestamp() - xact_start)) || ' s ago') AS text
  FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids($1::int)) ORDER BY pid LIMIT 5`

type Watch = (onBlocked?: (blockers: string) => void) => { blockers(): string | undefined; stop(): void }

/** Polls for what blocks the process `pid`, and calls `onBlocked` the first time it finds something. */
const watchBlockers =
  (queryElsewhere: QueryElsewhere, pid: number): Watch =>
  (onBlocked) => {
    let blockers: string | undefined
    let isPolling = false
    const poll = async () => {
      if (isPolling) return
      isPolling = true
      const rows = await queryElsewhere<{ text: string }>(selectBlockers, [pid]).catch(() => [])
      isPolling = false
      if (rows.length === 0) return
      if (blockers === undefined) onBlocked?.(rows.map(({ text }) => text).join('; '))
      blockers = rows.map(({ text }) => text).join('; ')
    }
    const timer = setInterval(poll, blockerPollMs)
    return { blockers: () => blockers, stop: () => clearInterval(timer) }
  }

/** Whether a lock failure is anywhere in the chain of causes. */
function isLockFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errno } = error as { errno?: unknown }
  return errno === lockNotAvailable || errno === deadlockDetected || isLockFailure(error.cause)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, jitter(ms)))
