import { forgetExpiredAnswers } from './api/idempotency.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { pruneEvents } from './events/prune.ts'
import { forgetKeyChanges } from './keys/announce.ts'
import type { KeyDirectory } from './keys/directory.ts'
import { forgetOldSecrets } from './keys/store.ts'
import type { Clock } from './lib/clock.ts'
import { every } from './lib/every.ts'
import { dayMs, minuteMs } from './lib/time.ts'
import { forgetOldCounters } from './limits/counters.ts'
import type { Limiter } from './limits/limiter.ts'
import { addUpCounts } from './pets/counts.ts'
import { because, type Log } from './telemetry/log.ts'
import { createRepeated } from './telemetry/repeated.ts'
import type { RequestLog } from './telemetry/request-log.ts'
import type { UsageCounter } from './usage/counter.ts'
import { addUpUsage, forgetOldUsage } from './usage/store.ts'
import { forgetOldDeliveries } from './webhooks/deliveries.ts'

interface Parts {
  readonly config: Pick<Config, 'eventsKeptDays'>
  readonly db: Database
  readonly clock: Clock
  /** Lets the clock follow the database's, where it does. */
  readonly readTime: () => Promise<void>
  readonly log: Log
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly requestLog: RequestLog
}

interface Job {
  readonly name: string
  readonly everyMs: number
  /** After the start; `everyMs` unless given. */
  readonly firstMs?: number
  readonly run: () => Promise<void>
}

const tidyEveryMs = minuteMs
/** Soon: a node that never runs for long tidies too. Not at once: starting has enough to do. */
const tidyFirstMs = 20_000
/** Rarely: a service without webhooks should not pay for them. */
const forgetDeliveriesEveryMs = 10 * minuteMs

/** All the work that no request waits for. */
export function jobs({ config, db, clock, readTime, directory, limiter, usage, requestLog }: Parts): Job[] {
  // By a clock that is wrong for a minute nothing is forgotten for good.
  const tidy = (name: string, run: (settled: number) => Promise<void>): Job => ({
    name,
    everyMs: tidyEveryMs,
    firstMs: tidyFirstMs,
    run: () => run(clock.settled()),
  })
  return [
    { name: 'write usage', everyMs: 1_000, run: () => usage.flush() },
    { name: 'add up usage', everyMs: 1_000, run: () => addUpUsage(db) },
    { name: 'write counters', everyMs: 1_000, run: () => limiter.flush() },
    // Sent together, in one round trip.
    {
      name: 'look for changes',
      everyMs: 250,
      run: async () => void (await Promise.all([directory.refresh(), readTime()])),
    },
    { name: 'add up counts of pets', everyMs: 1_000, run: () => addUpCounts(db) },
    { name: 'tell of strangers', everyMs: 60_000, run: async () => requestLog.tellOfStrangers() },
    { name: "shorten SQLite's log", everyMs: 5_000, run: async () => db.log?.shorten() },
    tidy('forget expired answers', (now) => forgetExpiredAnswers(db, now)),
    tidy('forget old counters', (now) => forgetOldCounters(db, now)),
    tidy('forget idle counters', (now) => limiter.forgetIdle(now)),
    tidy('forget old events', (now) => pruneEvents(db, { now, before: now - config.eventsKeptDays * dayMs })),
    tidy('forget old usage', (now) => forgetOldUsage(db, now)),
    tidy('forget old secrets', (now) => forgetOldSecrets(db, now)),
    tidy('forget changes of keys', (now) => forgetKeyChanges(db, now)),
    {
      name: 'forget old deliveries',
      everyMs: forgetDeliveriesEveryMs,
      firstMs: tidyFirstMs,
      run: () => forgetOldDeliveries(db, clock.settled()),
    },
  ]
}

/** Starts it. Once it has stopped, what was counted in memory is written. */
export function startJobs(parts: Parts): { stop(): Promise<void> } {
  const { log, usage, limiter, requestLog } = parts
  const repeated = createRepeated(log)
  const failed = (job: string) => (error: unknown) =>
    repeated('background work failed and will be tried again', because(error).reason, { job })
  const running = jobs(parts).map(({ name, everyMs, firstMs, run }) => every(everyMs, run, failed(name), firstMs))
  return {
    async stop() {
      await Promise.all(running.map((job) => job.stop()))
      await usage.flush().catch(failed('write usage'))
      await limiter.close().catch(failed('write counters'))
      requestLog.tellOfStrangers()
    },
  }
}
