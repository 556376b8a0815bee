import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { errorFields, type Log } from '../telemetry/log.ts'
import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { Limiter } from './limiter.ts'
import { createLocalLimiter } from './local.ts'
import { addLimiterMetrics } from './metrics.ts'
import { createSharedLimiter } from './shared.ts'

interface Parts {
  readonly db: Database
  /** Connections to the counters that all nodes share; undefined where there is one node. */
  readonly counters: Database | undefined
  readonly clock: Clock
  readonly log: Log
  readonly metrics: RequestMetrics
}

interface Created {
  readonly limiter: Limiter
  /** Who counts at the moment: all nodes together (`shared`), or this node on its `own`. */
  mode(): 'shared' | 'own'
}

/** The limiter of a node: with shared counters it counts with all the others, without them there are no others. */
export async function createLimiter({ db, counters, clock, log, metrics }: Parts): Promise<Created> {
  if (!counters) return { limiter: await createLocalLimiter(db, clock.now()), mode: () => 'own' }
  const limiter = createSharedLimiter(counters, (isAlone, reason) =>
    isAlone
      ? log.write('warn', 'the shared counters do not answer: this node limits on its own', errorFields(reason))
      : log.write('warn', 'the shared counters are back'),
  )
  addLimiterMetrics(metrics, limiter)
  return { limiter, mode: () => (limiter.stats().isAlone ? 'own' : 'shared') }
}
