import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { openSqlite } from './db/sqlite.ts'
import { forgetExpiredAnswers } from './http/idempotency.ts'
import { createMetrics, type RequestMetrics } from './http/metrics.ts'
import { createKeyDirectory, type KeyDirectory } from './keys/directory.ts'
import type { Clock } from './lib/clock.ts'
import { every } from './lib/every.ts'
import type { Log } from './lib/log.ts'
import { forgetOldCounters } from './limits/counters.ts'
import type { Limiter } from './limits/limiter.ts'
import { createLocalLimiter } from './limits/local.ts'
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
  dispose(): Promise<void>
}

const flushEveryMs = 1_000
const tidyEveryMs = 60_000

export async function createContext(config: Config, clock: Clock, log: Log): Promise<Context> {
  const db = openSqlite(config.databaseUrl.replace(/^sqlite:/, ''))
  const { applied } = await migrate(db, clock.now())
  if (applied.length > 0) log.write('info', 'schema brought up to date', { applied })

  const metrics = createMetrics()
  const directory = createKeyDirectory(db)
  const limiter = await createLocalLimiter(db, clock.now())
  const usage = createUsageCounter(db, clock)

  const flush = async () => {
    await Promise.all([usage.flush(), limiter.flush(clock.now())])
  }
  const tidy = async () => {
    const now = clock.now()
    await forgetExpiredAnswers(db, now)
    await forgetOldCounters(db, now)
    await forgetOldUsage(db, now)
  }
  const failed = (error: unknown) =>
    log.write('warn', 'background work failed and will be tried again', { reason: String(error) })
  const flushing = every(flushEveryMs, flush, failed)
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
    async dispose() {
      await Promise.all([flushing.stop(), tidying.stop()])
      await flush().catch(failed)
      await db.close()
      log.flush()
    },
  }
}
