import { forgetExpiredAnswers } from './api/idempotency.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { openPostgres } from './db/postgres.ts'
import { openSqlite } from './db/sqlite.ts'
import { createKeyDirectory, type KeyDirectory } from './keys/directory.ts'
import { forgetKeyChanges, forgetOldSecrets } from './keys/store.ts'
import type { Clock } from './lib/clock.ts'
import { every } from './lib/every.ts'
import { forgetOldCounters } from './limits/counters.ts'
import type { Limiter } from './limits/limiter.ts'
import { createLocalLimiter } from './limits/local.ts'
import { addLimiterMetrics } from './limits/metrics.ts'
import { createSharedLimiter } from './limits/shared.ts'
import { because, type Log } from './telemetry/log.ts'
import { createMetrics, type RequestMetrics } from './telemetry/metrics.ts'
import { createUsageCounter, type UsageCounter } from './usage/counter.ts'
import { forgetOldUsage } from './usage/store.ts'

/** What the parts of the service share, built by hand in the order in which it is needed. */
export interface Context {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly db: Database
  readonly metrics: RequestMetrics
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  /** What /readyz tells beyond yes or no. */
  readonly details: () => Record<string, unknown>
  dispose(): Promise<void>
}

const flushEveryMs = 1_000
const refreshEveryMs = 250
const tidyEveryMs = 60_000
const counterConnectionsMax = 2

export async function createContext(config: Config, clock: Clock, log: Log): Promise<Context> {
  const shared = config.databaseUrl.startsWith('postgres')
  const postgres = (applicationName: string, connectionsMax: number) =>
    openPostgres({
      url: config.databaseUrl,
      connectionsMax,
      applicationName,
      notHeard: (error) =>
        log.write('warn', 'PostgreSQL refuses to notify: changes of keys are looked for instead', because(error)),
    })
  // The counters have connections of their own, which slow work on the others cannot hold up, and get them first.
  const counters = shared ? postgres('petstore-limits', counterConnectionsMax) : undefined
  const db = shared
    ? postgres('petstore', config.databaseConnectionsMax)
    : openSqlite(config.databaseUrl.replace(/^sqlite:/, ''))
  if (counters) {
    await counters.query('SELECT 1').catch((error: Error) => {
      const reason = error.cause instanceof Error ? error.cause.message : error.message
      throw new Error(
        `The database cannot be reached (${reason}). Start PostgreSQL, or set DATABASE_URL to where it runs.`,
      )
    })
  }
  const { applied } = await migrate(db, clock.now())
  if (applied.length > 0) log.write('info', 'schema brought up to date', { applied })

  const metrics = createMetrics()
  const directory = createKeyDirectory(db)
  const sharedLimiter =
    counters &&
    createSharedLimiter(counters, (isAlone, reason) =>
      isAlone
        ? log.write('warn', 'the shared counters do not answer: this node limits on its own', because(reason))
        : log.write('warn', 'the shared counters are back'),
    )
  const limiter = sharedLimiter ?? (await createLocalLimiter(db, clock.now()))
  if (sharedLimiter) addLimiterMetrics(metrics, sharedLimiter)
  const usage = createUsageCounter(db, clock)

  const failed = (error: unknown) => log.write('warn', 'background work failed and will be tried again', because(error))
  const tidy = async () => {
    // By a clock that is wrong for a minute nothing is forgotten for good.
    const now = clock.settled()
    // One that fails does not keep the others from being done.
    await forgetExpiredAnswers(db, now).catch(failed)
    await forgetOldCounters(db, now).catch(failed)
    await limiter.forgetIdle(now).catch(failed)
    await forgetOldUsage(db, now).catch(failed)
    await forgetOldSecrets(db, now).catch(failed)
    await forgetKeyChanges(db, now - tidyEveryMs).catch(failed)
  }
  const jobs = [
    every(flushEveryMs, usage.flush, failed),
    every(flushEveryMs, limiter.flush, failed),
    every(refreshEveryMs, () => directory.refresh(clock.now()), failed),
    every(tidyEveryMs, tidy, failed),
  ]

  return {
    config,
    clock,
    log,
    db,
    metrics,
    directory,
    limiter,
    usage,
    details: () => (sharedLimiter ? { limits: sharedLimiter.stats().isAlone ? 'own' : 'shared' } : {}),
    async dispose() {
      await Promise.all(jobs.map((job) => job.stop()))
      await usage.flush().catch(failed)
      await limiter.close().catch(failed)
      await Promise.all([db.close(), counters?.close()])
      log.flush()
    },
  }
}
