import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { errorFields, type Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { countDecisions, type Limiter } from './limiter.ts'
import { createLocalLimiter } from './local.ts'
import { createSharedLimiter, type SharedLimiter } from './shared.ts'

interface Dependencies {
  readonly db: Database
  /** Connections to the counters that all nodes share; undefined for a single node. */
  readonly counters: Database | undefined
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

interface Created {
  readonly limiter: Limiter
  /** Whether all nodes currently count together (`shared`) or this node counts alone (`own`). */
  mode(): 'shared' | 'own'
}

/** Creates this node's limiter. With shared counters, it counts together with the other nodes. */
export async function createLimiter({ db, counters, clock, log, metrics }: Dependencies): Promise<Created> {
  if (!counters)
    return { limiter: countDecisions(metrics, await createLocalLimiter(db, clock.now())), mode: () => 'own' }
  const limiter = createSharedLimiter(counters, (isInFallback, reason) =>
    isInFallback
      ? log.write('warn', 'the shared counters do not respond: this node limits by itself', errorFields(reason))
      : log.write('warn', 'the shared counters are back'),
  )
  addLimiterMetrics(metrics, limiter)
  return { limiter: countDecisions(metrics, limiter), mode: () => (limiter.stats().isInFallback ? 'own' : 'shared') }
}

/** Metrics of the shared counters: how many calls a statement carries, and how long it takes. */
function addLimiterMetrics(metrics: Metrics, { stats }: SharedLimiter): void {
  const addCounter = (name: string, help: string, read: () => number) =>
    metrics.add({ name, help, kind: 'counter', read })
  addCounter('petstore_limiter_batches_total', 'Statements sent to the shared counters.', () => stats().batches)
  addCounter('petstore_limiter_calls_total', 'Calls carried by these statements.', () => stats().calls)
  addCounter('petstore_limiter_wait_seconds_total', 'Time these statements took.', () => stats().waitMs / 1000)
  addCounter(
    'petstore_limiter_fallbacks_total',
    'Times this node fell back to its own counters because the shared ones did not respond.',
    () => stats().fallbacks,
  )
  addCounter(
    'petstore_limiter_admitted_alone_total',
    'Requests this node admitted by its own counters; they are added to the shared ones when these are back.',
    () => stats().admittedInFallback,
  )
  metrics.add({
    name: 'petstore_limiter_degraded',
    help: '1 while this node limits by itself because the shared counters do not respond.',
    kind: 'gauge',
    read: () => (stats().isInFallback ? 1 : 0),
  })
}
