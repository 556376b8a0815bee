import { afterAll, expect, test } from 'bun:test'
import { jobs } from '../../src/jobs.ts'
import { dayMs } from '../../src/lib/time.ts'
import { longAgo, startService, testClock, waitForLog } from '../harness/service.ts'

const service = await startService({ clock: testClock(longAgo), env: { EVENTS_KEPT_DAYS: '2' } })
afterAll(() => service.stop())

test('a new node runs each of its jobs within a minute', () => {
  const late = jobs(service.context).filter(({ everyMs, firstMs = everyMs }) => firstMs > 60_000)
  expect(late.map(({ name }) => name)).toEqual([])
})

test('events are kept for as many days as configured', async () => {
  const { db } = service.context
  const prune = jobs(service.context).find(({ name }) => name === 'delete-old-events')
  const kept = async () => (await db.query('SELECT id FROM events')).length
  await waitForLog(db)
  expect(await kept()).toBe(1)
  service.clock.advance(2 * dayMs)
  await prune?.run()
  expect(await kept()).toBe(1)
  service.clock.advance(1)
  await prune?.run()
  expect(await kept()).toBe(0)
})
