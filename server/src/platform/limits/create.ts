import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { errorFields, type Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Limiter } from './limiter.ts'
import { createLocalLimiter } from './local.ts'
import { addLimiterMetrics, countDecisions } from './metrics.ts'
import { createSharedLimiter } from './shared.ts'

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
  /** Whether all nodes count together now (`shared`), or this node by itself (`own`). */
  mode(): 'shared' | 'own'
}

/** Creates the limiter of this node: with shared counters it counts together with the other nodes. */
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
