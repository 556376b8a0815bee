// What a request pays for its metrics, in nanoseconds and as a share of its CPU time. Run: npm run bench:metrics
import { join } from 'node:path'
import { Histogram, Registry } from 'prom-client'
import { readConfig } from '../server/src/config.ts'
import { createKey } from '../server/src/platform/keys/create.ts'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { systemClock } from '../server/src/platform/lib/clock.ts'
import { createBusiestKeys } from '../server/src/platform/telemetry/busiest-keys.ts'
import { observeDatabase } from '../server/src/platform/telemetry/database-metrics.ts'
import { createLog } from '../server/src/platform/telemetry/log.ts'
import { createMetrics } from '../server/src/platform/telemetry/metrics.ts'
import { petShop } from '../server/src/shop/index.ts'
import { start } from '../server/src/start.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { nsPerCall, say, serverCpuNs } from './cost-per-call.ts'

const clock = systemClock()
const metrics = createMetrics()
const log = createLog('warn', (text) => process.stderr.write(text), clock.now)
const calls = 1_000_000

const observe = metrics.addHistogram({ name: 'bench_seconds', help: 'A bench.', labels: ['operation', 'status'] })
const duration = await nsPerCall(
  calls,
  (() => {
    const observeOne = observe('listPets', '200')
    return (index: number) => observeOne((index % 100) / 1000)
  })(),
)
say('duration of a request', duration)

const theirs = new Histogram({
  name: 'bench_seconds',
  help: 'A bench.',
  labelNames: ['operation', 'status'],
  registers: [new Registry()],
}).labels('listPets', '200')
say("the same by the library's histogram", await nsPerCall(calls, (index) => theirs.observe((index % 100) / 1000)))

const database = observeDatabase({ metrics, log, slowMs: 500 })
const statement = await nsPerCall(calls, () => {
  const startedAt = performance.now()
  database.ran('SELECT id FROM pets', performance.now() - startedAt)
})
say('a statement, with reading the time twice', statement)

const countForKey = createBusiestKeys(metrics, clock)
const key = await nsPerCall(calls, (index) => countForKey(1 + (index % 100), 0))
say('the busiest keys', key)

const scratch = newDirectory()
try {
  const secret = newSecret()
  const env = { PORT: '0', DATABASE_URL: `sqlite:${join(scratch.path, 'petstore.db')}`, LOG_LEVEL: 'warn' }
  const service = await start(petShop, readConfig(env), clock, log)
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const newKey = { name: 'Bench', plan: 'enterprise', scopes: petShop.presets.reader ?? [], limits } as const
  await service.db.transaction((tx) => createKey(tx, { now: clock.now() }, newKey, secret))
  await service.stop()
  const requests = 20_000
  const request = ((await serverCpuNs(requests, env, secret)) - (await serverCpuNs(0, env, secret))) / requests
  say('a request (GET /pets, a page of 20), CPU of the server', request)
  // On SQLite: BEGIN, the page and ROLLBACK, if no other read shares the snapshot.
  const paid = duration + key + 3 * statement
  process.stdout.write(`share of a request: ${((paid / request) * 100).toFixed(1)} %\n`)
} finally {
  scratch.remove()
}
