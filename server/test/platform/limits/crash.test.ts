import { afterAll, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { createLocalLimiter } from '../../../src/platform/limits/local.ts'
import { createOneNode } from '../../harness/one-node.ts'
import { seeded } from '../../harness/seeded.ts'
import { startService } from '../../harness/service.ts'

// kill -9 while a key uses its quota. SQLite only: with PostgreSQL another process keeps the counters.

const sqliteOnly = test.if(process.env.TEST_ENGINE !== 'postgres')
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 32))
const random = seeded(seed)
const rounds = process.env.TORTURE ? 30 : 4
const workers = 8

const node = await createOneNode()
await node.start()
afterAll(async () => {
  await node.remove()
})

/** Counts the requests of this key that get a response until one is rejected, or until the process is killed after `killAfter`. */
async function countServed(secret: string, killAfter = Number.POSITIVE_INFINITY): Promise<number> {
  let count = 0
  let killed: Promise<void> | undefined
  let rejected = false
  const worker = async () => {
    while (!killed && !rejected) {
      const response = await node.send('GET', '/pets?limit=1', undefined, secret).catch((error) => {
        if (!killed) throw error
      })
      if (response?.status === 200) count++
      else if (response) rejected = true
      if (count >= killAfter) killed ??= node.kill()
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  await killed
  return count
}

sqliteOnly('after kill -9 a key has no more left than before, and hardly less', async () => {
  process.stdout.write(`limits: CRASH_SEED=${seed}\n`)
  const perDay = 600
  const block = perDay / 100
  for (let round = 0; round < rounds; round++) {
    const key = { name: 'Test', preset: 'reader', plan: 'enterprise', limits: { perMinute: 1_000_000, perDay } }
    const { secret } = (await node.send('POST', '/keys', key)).body
    const before = await countServed(secret, 1 + random(perDay / 2))
    await node.start()
    const total = before + (await countServed(secret))
    expect(total).toBeLessThanOrEqual(perDay)
    // A block may have been reserved, and some requests were running: counted, but without a response.
    expect(total).toBeGreaterThanOrEqual(perDay - block - workers)
  }
})

sqliteOnly('a key that was not used loses nothing', async () => {
  const { secret } = (await node.send('POST', '/keys', { name: 'Test', preset: 'reader', plan: 'free' })).body
  await node.kill()
  await node.start()
  const { windows } = (await node.send('GET', '/limits', undefined, secret)).body
  expect(windows.map(({ remaining }: { remaining: number }) => remaining)).toEqual([60, 1_000])
})

sqliteOnly('a key with a very large limit loses no more than a node admits in a second or two', async () => {
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const key = { name: 'Test', preset: 'reader', plan: 'enterprise', limits }
  const { secret } = (await node.send('POST', '/keys', key)).body
  await node.send('GET', '/pets?limit=1', undefined, secret)
  await node.kill()
  await node.start()
  const { windows } = (await node.send('GET', '/limits', undefined, secret)).body
  for (const { remaining } of windows) expect(remaining).toBeWithin(1_000_000_000 - 101_000, 1_000_000_000)
})

sqliteOnly(
  'a reservation counts as used in every window after a crash, until an hour without a request releases it',
  async () => {
    const service = await startService()
    const { clock, context } = service
    const admit = async (subject: string, count: number) => {
      const limits = { perMinute: 60, perDay: 1_000 }
      for (let index = 0; index < count; index++) await context.limiter.admit(subject, limits, clock.now())
    }
    await admit('key:1', 9)
    clock.advance(3_600_000)
    await context.limiter.forgetIdle(clock.settled())
    await admit('key:2', 8)
    clock.advance(60_000)
    await admit('key:3', 3)

    // What a process would find that starts now, after a crash of this one.
    const found = await createLocalLimiter(context.db, clock.now())
    const used = (subject: string) => found.used(subject, clock.now())
    expect(used('key:1')).toEqual({ minute: 0, day: 9 })
    expect(used('key:2')).toEqual({ minute: 6, day: 14 })
    expect(used('key:3')).toEqual({ minute: 7, day: 7 })
    await service.stop()
  },
)
