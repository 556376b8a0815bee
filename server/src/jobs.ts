import type { Config } from './config.ts'
import { forgetExpiredAnswers } from './platform/api/idempotency.ts'
import type { Database } from './platform/db/database.ts'
import { pruneEvents } from './platform/events/prune.ts'
import type { Visibility } from './platform/events/visibility.ts'
import { forgetKeyChanges } from './platform/keys/announce.ts'
import type { KeyDirectory } from './platform/keys/directory.ts'
import { forgetOldSecrets } from './platform/keys/store.ts'
import type { Clock } from './platform/lib/clock.ts'
import { repeatEvery } from './platform/lib/repeat.ts'
import { dayMs, minuteMs } from './platform/lib/time.ts'
import { forgetOldCounters } from './platform/limits/counters.ts'
import type { Limiter } from './platform/limits/limiter.ts'
import { createJobRuns } from './platform/telemetry/job-metrics.ts'
import type { Log } from './platform/telemetry/log.ts'
import type { Metrics } from './platform/telemetry/metrics.ts'
import type { RequestLog } from './platform/telemetry/request-log.ts'
import type { UsageCounter } from './platform/usage/counter.ts'
import { addUpUsage, forgetOldUsage } from './platform/usage/store.ts'
import { forgetOldDeliveries } from './platform/webhooks/deliveries.ts'
import { addUpCounts } from './shop/pets/counts.ts'
import { addUpShopCounts, forgetOldCounts } from './shop/summary/counts.ts'
import { forgetOldHours, recordHour } from './shop/summary/hours.ts'

interface Dependencies {
  readonly config: Pick<Config, 'eventsKeptDays'>
  readonly db: Database
  readonly clock: Clock
  /** Synchronizes the clock with the database's, if it follows that. */
  readonly readTime: () => Promise<void>
  readonly log: Log
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly requestLog: RequestLog
  readonly metrics: Metrics
  readonly visibility: Visibility
}

interface Job {
  readonly name: string
  readonly everyMs: number
  /** Delay after startup; `everyMs` by default. */
  readonly firstMs?: number
  readonly run: () => Promise<void>
}

const cleanupEveryMs = minuteMs
/** Soon, so that a short-lived node cleans up too, but not while it is starting. */
const cleanupFirstMs = 20_000
/** Often enough that a recorded hour is right to within half a minute. */
const recordHourEveryMs = 30_000
const measureLagEveryMs = 5_000
/** Rarely, so that a service without webhooks does not pay for them. */
const deleteDeliveriesEveryMs = 10 * minuteMs

/** All background work. */
export function jobs(dependencies: Dependencies): Job[] {
  const { config, db, clock, readTime, directory, limiter, usage, requestLog, visibility } = dependencies
  // Uses the settled time, so that a clock that is briefly wrong deletes nothing.
  const cleanup = (name: string, run: (settled: number) => Promise<void>): Job => ({
    name,
    everyMs: cleanupEveryMs,
    firstMs: cleanupFirstMs,
    run: () => run(clock.settled()),
  })
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
    { name: 'add-up-pet-counts', everyMs: 1_000, run: () => addUpCounts(db) },
    { name: 'add-up-shop-counts', everyMs: 1_000, run: () => addUpShopCounts(db) },
    { name: 'record-shop-hour', everyMs: recordHourEveryMs, run: () => recordHour(db, clock.settled()) },
    { name: 'report-unauthenticated', everyMs: 60_000, run: async () => requestLog.reportUnauthenticated() },
    { name: 'measure-event-lag', everyMs: measureLagEveryMs, run: () => visibility.measure(clock.now()) },
    { name: 'shorten-sqlite-log', everyMs: 5_000, run: async () => db.log?.shorten() },
    cleanup('delete-expired-answers', (now) => forgetExpiredAnswers(db, now)),
    cleanup('delete-old-counters', (now) => forgetOldCounters(db, now)),
    cleanup('drop-idle-counters', (now) => limiter.forgetIdle(now)),
    cleanup('delete-old-events', (now) => pruneEvents(db, { now, before: now - config.eventsKeptDays * dayMs })),
    cleanup('delete-old-usage', (now) => forgetOldUsage(db, now)),
    cleanup('delete-old-shop-counts', (now) => forgetOldCounts(db, now)),
    cleanup('delete-old-shop-hours', (now) => forgetOldHours(db, now)),
    cleanup('delete-old-secrets', (now) => forgetOldSecrets(db, now)),
    cleanup('delete-key-changes', (now) => forgetKeyChanges(db, now)),
    {
      name: 'delete-old-deliveries',
      everyMs: deleteDeliveriesEveryMs,
      firstMs: cleanupFirstMs,
      run: () => forgetOldDeliveries(db, clock.settled()),
    },
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
