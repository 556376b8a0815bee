import type { Config } from './config.ts'
import { forgetExpiredResponses } from './platform/api/idempotency.ts'
import { cleanupFirstMs, cleanupJob, type Job } from './platform/compose/feature.ts'
import type { Shop } from './platform/compose/shop.ts'
import type { Database } from './platform/db/database.ts'
import type { Visibility } from './platform/events/log.ts'
import { pruneEvents } from './platform/events/prune.ts'
import { forgetKeyChanges } from './platform/keys/announce.ts'
import type { KeyDirectory } from './platform/keys/directory.ts'
import { forgetOldSecrets } from './platform/keys/store.ts'
import type { Clock } from './platform/lib/clock.ts'
import { repeatEvery } from './platform/lib/repeat.ts'
import { dayMs, minuteMs } from './platform/lib/time.ts'
import { forgetOldCounters } from './platform/limits/counters.ts'
import type { Limiter } from './platform/limits/limiter.ts'
import type { Log } from './platform/telemetry/log.ts'
import type { Metrics } from './platform/telemetry/metrics.ts'
import type { RequestLog } from './platform/telemetry/request-log.ts'
import { createJobRuns } from './platform/telemetry/service-metrics.ts'
import type { UsageCounter } from './platform/usage/counter.ts'
import { addUpUsage, forgetOldUsage } from './platform/usage/store.ts'
import { forgetOldDeliveries } from './platform/webhooks/deliveries.ts'

interface Dependencies {
  readonly shop: Shop
  readonly config: Pick<Config, 'eventsKeptDays'>
  readonly db: Database
  readonly clock: Clock
  /** Synchronizes the clock with the database's, if it follows that. */
  readonly readTime: () => Promise<void>
  /** Adjusts how many connections this node may use to the number of nodes. */
  readonly fitConnections: () => Promise<void>
  readonly log: Log
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly requestLog: RequestLog
  readonly metrics: Metrics
  readonly visibility: Visibility
}

const measureLagEveryMs = 5_000
/** Rarely, so that this costs a service without webhooks almost nothing. */
const deleteDeliveriesEveryMs = 10 * minuteMs

/** All background work: the platform's, then that of the features. */
export function jobs(dependencies: Dependencies): Job[] {
  const { shop, config, db, clock, readTime, fitConnections, directory, limiter, usage, requestLog, visibility } =
    dependencies
  const cleanup = (name: string, run: (settled: number) => Promise<void>): Job => cleanupJob(name, clock, run)
  return [
    { name: 'write-usage', everyMs: 1_000, run: () => usage.flush() },
    { name: 'add-up-usage', everyMs: 1_000, run: () => addUpUsage(db) },
    { name: 'write-counters', everyMs: 1_000, run: () => limiter.flush() },
    // Both queries share one round trip.
    {
      name: 'find-key-changes',
      everyMs: 250,
      run: async () => void (await Promise.all([directory.refresh(), readTime()])),
    },
    { name: 'fit-connections', everyMs: 5_000, run: fitConnections },
    { name: 'report-unauthenticated', everyMs: 60_000, run: async () => requestLog.reportUnauthenticated() },
    { name: 'measure-event-lag', everyMs: measureLagEveryMs, run: () => visibility.measure(clock.now()) },
    { name: 'shorten-sqlite-log', everyMs: 5_000, run: async () => db.log?.shorten() },
    cleanup('delete-expired-responses', (now) => forgetExpiredResponses(db, now)),
    cleanup('delete-old-counters', (now) => forgetOldCounters(db, now)),
    cleanup('drop-idle-counters', (now) => limiter.forgetIdle(now)),
    cleanup('delete-old-events', (now) => pruneEvents(db, { now, before: now - config.eventsKeptDays * dayMs })),
    cleanup('delete-old-usage', (now) => forgetOldUsage(db, now)),
    cleanup('delete-old-secrets', (now) => forgetOldSecrets(db, now)),
    cleanup('delete-key-changes', (now) => forgetKeyChanges(db, now)),
    {
      name: 'delete-old-deliveries',
      everyMs: deleteDeliveriesEveryMs,
      firstMs: cleanupFirstMs,
      run: () => forgetOldDeliveries(db, clock.settled()),
    },
    ...shop.jobs({ db, clock }),
  ]
}

export interface RunningJobs {
  /** Runs every job once, in the order of the list. */
  runAll(): Promise<void>
  /** Waits for running jobs, and then writes the counts in memory. */
  stop(): Promise<void>
}

export function startJobs(dependencies: Dependencies): RunningJobs {
  const { usage, limiter, requestLog } = dependencies
  const all = jobs(dependencies)
  const runs = createJobRuns(
    all.map(({ name }) => name),
    dependencies,
  )
  const reportError = (job: string) => (error: unknown) => runs.fail(job, error)
  const running = all.map(({ name, everyMs, firstMs, run }) =>
    repeatEvery(everyMs, () => runs.run(name, run), reportError(name), firstMs),
  )
  return {
    async runAll() {
      for (const job of running) await job.run()
    },
    async stop() {
      await Promise.all(running.map((job) => job.stop()))
      await usage.flush().catch(reportError('write-usage'))
      await limiter.close().catch(reportError('write-counters'))
      requestLog.reportUnauthenticated()
    },
  }
}
