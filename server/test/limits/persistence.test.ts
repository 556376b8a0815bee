import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { runService } from '../../../scripts/run-service.ts'
import { newSecret } from '../../src/keys/secret.ts'
import { flood, tally } from '../harness/flood.ts'
import { call } from '../harness/nodes.ts'
import { newDirectory } from '../harness/scratch.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('what was used stays used over a restart, in both windows', async () => {
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 45)
  await service.restart()
  expect(tally(await flood(client, 20))).toEqual({ 200: 15, rate_limited: 5 })
  service.clock.advance(60_000)
  await service.restart()
  const { windows } = (await client.get('/limits')).body
  expect(windows.map(({ remaining }: { remaining: number }) => remaining)).toEqual([60, 940])
})

test('the meter of GET /limits survives a restart too', async () => {
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 60, 8, '/limits')
  await service.restart()
  expect((await client.get('/limits')).body.code).toBe('rate_limited')
})

test('a restart with a clock that was far ahead before neither over-admits nor wedges a key', async () => {
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 60)
  await service.context.limiter.flush(service.clock.now())
  service.clock.advance(50 * 60_000)
  await flood(client, 60)
  service.clock.advance(-50 * 60_000)
  await service.restart()
  expect(tally(await flood(client, 5))).toEqual({ rate_limited: 5 })
  service.clock.advance(60_000)
  expect(tally(await flood(client, 5))).toEqual({ 200: 5 })
})

// Shared counters are never written later: they are only ever in the database.
test.if(process.env.TEST_ENGINE !== 'postgres')(
  'counters that could not be written are written when the database is back',
  async () => {
    const client = await service.newClient({ plan: 'free' })
    const { db, limiter, usage } = service.context
    await db.transaction((tx) => tx.query('ALTER TABLE rate_counters RENAME TO rate_counters_away'))
    await flood(client, 10)
    await expect(limiter.flush(service.clock.now())).rejects.toThrow()
    await usage.flush()
    await db.transaction((tx) => tx.query('ALTER TABLE rate_counters_away RENAME TO rate_counters'))
    await service.restart()
    expect((await client.get('/limits')).body.windows[1].remaining).toBe(990)
  },
)

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    await Bun.sleep(10)
  }
}

test.if(process.env.TEST_ENGINE !== 'postgres')('kill -9 loses nothing that was flushed', async () => {
  using directory = newDirectory()
  const path = join(directory.path, 'petstore.db')
  const secret = newSecret()
  const env = { DATABASE_URL: `sqlite:${path}`, ADMIN_API_KEY: secret, SAMPLE_DATA: 'false', LOG_LEVEL: 'silent' }
  await using first = runService({ env })
  await first.ready
  let answered = 0
  const load = Promise.all(
    Array.from({ length: 8 }, async () => {
      while ((await call(first.url, secret, 'GET', '/pets').catch(() => undefined))?.status === 200) answered++
    }),
  )
  const look = new Database(path, { readonly: true })
  const written = await until(() => {
    const row = look
      .query("SELECT sum(used) AS used FROM rate_counters WHERE period = 'day' AND subject LIKE 'key:%'")
      .get() as { used: number | null }
    return row.used !== null && row.used > 100 ? row.used : undefined
  })
  look.close()
  await first.kill('SIGKILL')
  await load

  await using second = runService({ env })
  await second.ready
  const windows: { limit: number; remaining: number }[] = (await call(second.url, secret, 'GET', '/limits')).body
    .windows
  const used = (windows[1]?.limit ?? 0) - (windows[1]?.remaining ?? 0)
  expect(used).toBeGreaterThanOrEqual(written)
  // Those that were under way when the process died were counted, but not answered.
  expect(used).toBeLessThanOrEqual(answered + 8)
})
