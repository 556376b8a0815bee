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
  const db = shared
    ? await postgres('petstore', config.databaseConnectionsMax)
    : openSqlite(config.databaseUrl.replace(/^sqlite:/, ''))
  const { applied } = await migrate(db, clock.now())
  if (applied.length > 0) log.write('info', 'schema brought up to date', { applied })

  const metrics = createMetrics()
  metrics.add({
    name: 'petstore_database_waiting',
    help: 'Reads and transactions that wait for the database.',
    kind: 'gauge',
    read: db.waiting,
  })
  const directory = createKeyDirectory(db)
  const ownLimiter = await createLocalLimiter(shared ? undefined : db, clock.now())
  // The counters have connections of their own, so that slow work on the others cannot hold up the limits.
  const counters = shared ? await postgres('petstore-limits', counterConnectionsMax) : undefined
  const sharedLimiter =
    counters &&
    createSharedLimiter(counters, ownLimiter, (degraded, reason) =>
      degraded
        ? log.write('warn', 'the shared counters do not answer: this node limits on its own', because(reason))
        : log.write('warn', 'the shared counters are back'),
    )
  const limiter = sharedLimiter ?? ownLimiter
  if (sharedLimiter) addLimiterMetrics(metrics, sharedLimiter)
  const usage = createUsageCounter(db, clock)

  const failed = (error: unknown) => log.write('warn', 'background work failed and will be tried again', because(error))
  const flush = async () => {
    await Promise.all([usage.flush(), limiter.flush(clock.now())])
  }
  const tidy = async () => {
    const now = clock.now()
    // One that fails does not keep the others from being done.
    await forgetExpiredAnswers(db, now).catch(failed)
    await forgetOldCounters(db, now).catch(failed)
    await forgetOldUsage(db, now).catch(failed)
    await forgetOldSecrets(db, now).catch(failed)
    await forgetKeyChanges(db, now - tidyEveryMs).catch(failed)
  }
  const flushing = every(flushEveryMs, flush, failed)
  const refreshing = every(refreshEveryMs, () => directory.refresh(clock.now()), failed)
  const tidying = every(tidyEveryMs, tidy, failed)

  return {
    config,
    clock,
    log,
    db,
    metrics,
    directory,
    limiter,
    usage,
    details: () => (sharedLimiter ? { limits: sharedLimiter.stats.degraded ? 'own' : 'shared' } : {}),
    async dispose() {
      await Promise.all([flushing.stop(), refreshing.stop(), tidying.stop(), sharedLimiter?.stop()])
      await flush().catch(failed)
      await Promise.all([db.close(), counters?.close()])
      log.flush()
    },
  }
}
