import { afterAll, expect, test } from 'bun:test'
import { failureOf } from '../harness/failure-of.ts'
import { flood, tally } from '../harness/flood.ts'
import { startService } from '../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

test('used requests stay used after a restart, in both windows', async () => {
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

test('a restart after the clock was far ahead neither admits too much nor blocks a key', async () => {
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 60)
  await service.context.limiter.flush()
  service.clock.advance(50 * 60_000)
  await flood(client, 60)
  service.clock.advance(-50 * 60_000)
  await service.restart()
  expect(tally(await flood(client, 5))).toEqual({ rate_limited: 5 })
  service.clock.advance(60_000)
  expect(tally(await flood(client, 5))).toEqual({ 200: 5 })
})

// Shared counters are only ever in the database.
test.if(process.env.TEST_ENGINE !== 'postgres')(
  'counters that could not be written are written when the database is back',
  async () => {
    const client = await service.newClient({ plan: 'free' })
    const { db, limiter, usage } = service.context
    await db.transaction((tx) => tx.query('ALTER TABLE rate_counters RENAME TO rate_counters_away'))
    await flood(client, 10)
    expect(await failureOf(limiter.flush())).toBeInstanceOf(Error)
    await usage.flush()
    await db.transaction((tx) => tx.query('ALTER TABLE rate_counters_away RENAME TO rate_counters'))
    await service.restart()
    expect((await client.get('/limits')).body.windows[1].remaining).toBe(990)
  },
)
