// What the limiter costs: its check in nanoseconds, the whole gate (key, windows, headers), and their share of a request's CPU
// time. Run: npm run bench:limiter
import { join } from 'node:path'
import { readConfig } from '../server/src/config.ts'
import { createGate } from '../server/src/platform/access/gate.ts'
import { createKey } from '../server/src/platform/keys/create.ts'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { keySubject } from '../server/src/platform/keys/subjects.ts'
import { systemClock } from '../server/src/platform/lib/clock.ts'
import { addressSubject } from '../server/src/platform/limits/limiter.ts'
import { createMemoryLimiter } from '../server/src/platform/limits/memory.ts'
import { createLog } from '../server/src/platform/telemetry/log.ts'
import { petShop } from '../server/src/shop/index.ts'
import { start } from '../server/src/start.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { nsPerCall, roundCalls, say, serverCpuNs } from './cost-per-call.ts'

const clock = systemClock()
const scratch = newDirectory()
const secret = newSecret()
const env = {
  PORT: '0',
  DATABASE_URL: `sqlite:${join(scratch.path, 'petstore.db')}`,
  LOG_LEVEL: 'warn',
}
// High enough that nothing here is refused.
const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }

async function checks(): Promise<{ check: number; wayIn: number }> {
  const full = { perMinute: 1, perDay: 1 }
  const limiter = createMemoryLimiter()
  const check = await nsPerCall(1_000_000, () => limiter.admit(keySubject(1), limits, clock.now()))
  say('check, one key, admitted', check)
  say('check, one key, refused', await nsPerCall(1_000_000, () => limiter.admit(keySubject(2), full, clock.now())))
  const spread = (index: number) => limiter.admit(keySubject(index % 100_000), limits, clock.now())
  say('check, 100,000 keys in turn', await nsPerCall(1_000_000, spread))
  const unauthenticated = (index: number) =>
    limiter.admit(addressSubject(`2001:db8:${index}::/64`), limits, clock.now())
  say('check, an address never seen before', await nsPerCall(300_000, unauthenticated))

  const log = createLog('warn', (text) => process.stderr.write(text), clock.now)
  const service = await start(petShop, readConfig(env), clock, log)
  const key = { name: 'Bench', plan: 'enterprise', scopes: petShop.presets.reader ?? [], limits } as const
  await service.db.transaction((tx) => createKey(tx, { now: clock.now() }, key, secret))
  const { limiter: local } = service
  const durable = (index: number) => local.admit(keySubject(1 + (index % 100)), limits, clock.now())
  say('check that survives a crash, SQLite, 100 keys in turn', await nsPerCall(1_000_000, durable))
  // Each key spends its whole minute at once, which takes a commit for every thousand requests or less.
  const modest = { perMinute: roundCalls, perDay: 1_000 * roundCalls }
  const spend = (index: number) => local.admit(keySubject(1_000 + Math.floor(index / roundCalls)), modest, clock.now())
  say(`the same, a key that spends ${roundCalls} at once`, await nsPerCall(300_000, spend))
  const gate = createGate({ ...service, banFailed: () => undefined, banned: () => undefined })
  const call = { apiKey: secret, authorization: undefined, address: () => '127.0.0.1', operation: undefined }
  const wayIn = await nsPerCall(200_000, () => gate.enter({ ...call, now: clock.now() }))
  say('the whole gate: key, check, headers', wayIn)
  await service.stop()
  return { check, wayIn }
}

try {
  const { check, wayIn } = await checks()
  const requests = 50_000
  const request = ((await serverCpuNs(requests, env, secret)) - (await serverCpuNs(0, env, secret))) / requests
  say('a request (GET /pets, a page of 20), CPU of the server', request)
  const share = (ns: number) => `${((ns / request) * 100).toFixed(1)} %`
  process.stdout.write(`share of a request: check ${share(check)}, whole gate ${share(wayIn)}\n`)
} finally {
  scratch.remove()
}
