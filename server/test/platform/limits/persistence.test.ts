import { afterAll, expect, test } from 'bun:test'
import { keySubject } from '../../../src/platform/keys/plans.ts'
import { dayMs, hourMs, minuteMs } from '../../../src/platform/lib/time.ts'
import { forgetOldCounters } from '../../../src/platform/limits/counters.ts'
import { windowStart } from '../../../src/platform/limits/limiter.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { flood, tally } from '../../harness/flood.ts'
import { longAgo, startService, testClock } from '../../harness/service.ts'

const service = await startService({ clock: testClock(longAgo) })
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

test('a restart while the clock is some minutes ahead reopens no used window', async () => {
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 60)
  service.clock.advance(5 * minuteMs)
  await service.restart()
  service.clock.advance(-5 * minuteMs)
  expect(tally(await flood(client, 5))).toEqual({ rate_limited: 5 })
})

test('the counter of a minute is kept for an hour, that of a day for three days', async () => {
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 5)
  const { db, limiter } = service.context
  await limiter.flush()
  const sql = "SELECT period FROM rate_counters WHERE subject = $1 AND period IN ('minute', 'day') ORDER BY period"
  const keptAt = async (time: number) => {
    await forgetOldCounters(db, time)
    return (await db.query<{ period: string }>(sql, [keySubject(client.keyId)])).map(({ period }) => period)
  }
  const now = service.clock.now()
  const minuteGone = windowStart(now, minuteMs) + hourMs
  expect(await keptAt(minuteGone)).toEqual(['day', 'minute'])
  expect(await keptAt(minuteGone + 1)).toEqual(['day'])
  const dayGone = windowStart(now, dayMs) + 3 * dayMs
  expect(await keptAt(dayGone)).toEqual(['day'])
  expect(await keptAt(dayGone + 1)).toEqual([])
})

// Shared counters are only ever in the database.
test.if(process.env.TEST_ENGINE !== 'postgres')(
  'a reservation is released an hour after the minute of the last request',
  async () => {
    const client = await service.newClient({ plan: 'free' })
    await flood(client, 1)
    const { db, limiter } = service.context
    const reservedAt = async (time: number) => {
      await limiter.forgetIdle(time)
      const sql = "SELECT used FROM rate_counters WHERE subject = $1 AND period = 'ahead'"
      return (await db.query<{ used: number }>(sql, [keySubject(client.keyId)]))[0]?.used
    }
    const idle = windowStart(service.clock.now(), minuteMs) + hourMs
    expect(await reservedAt(idle - 1)).toBeGreaterThan(0)
    expect(await reservedAt(idle)).toBe(0)
  },
)

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
