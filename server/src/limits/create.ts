import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { openPostgres } from '../db/postgres.ts'
import type { Clock } from '../lib/clock.ts'
import { because, type Log } from '../telemetry/log.ts'
import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { Limiter } from './limiter.ts'
import { createLocalLimiter } from './local.ts'
import { addLimiterMetrics } from './metrics.ts'
import { createSharedLimiter } from './shared.ts'

interface Parts {
  readonly config: Pick<Config, 'databaseUrl'>
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly metrics: RequestMetrics
}

interface Created {
  readonly limiter: Limiter
  /** Who counts at the moment: `shared` by all nodes, or this node on its `own`. */
  mode(): 'shared' | 'own'
  stop(): Promise<void>
}

const counterConnectionsMax = 2

/** The limiter of a node: on PostgreSQL it counts with all the others, on SQLite there are no others. */
export async function createLimiter({ config, db, clock, log, metrics }: Parts): Promise<Created> {
  if (!config.databaseUrl.startsWith('postgres')) {
    return { limiter: await createLocalLimiter(db, clock.now()), mode: () => 'own', stop: async () => undefined }
  }
  // The counters have connections of their own, so that slow work on the others cannot hold up the limits.
  const counters = await openPostgres({
    url: config.databaseUrl,
    connectionsMax: counterConnectionsMax,
    applicationName: 'petstore-limits',
  })
  const own = await createLocalLimiter(undefined, clock.now())
  const limiter = createSharedLimiter(counters, own, (degraded, reason) =>
    degraded
      ? log.write('warn', 'the shared counters do not answer: this node limits on its own', because(reason))
      : log.write('warn', 'the shared counters are back'),
  )
  addLimiterMetrics(metrics, limiter)
  return {
    limiter,
    mode: () => (limiter.stats.degraded ? 'own' : 'shared'),
    async stop() {
      await limiter.stop()
      await counters.close()
    },
  }
}
