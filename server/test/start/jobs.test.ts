import { afterAll, expect, test } from 'bun:test'
import { jobs } from '../../src/jobs.ts'
import { dayMs, hourMs, minuteMs } from '../../src/platform/lib/time.ts'
import { flood } from '../harness/flood.ts'
import { longAgo, testClock, waitForLog } from '../harness/service.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'
import { deliveriesOnce, newWebhook, startShop } from '../platform/webhooks/shop.ts'

const service = await startShop({ clock: testClock(longAgo), env: { EVENTS_KEPT_DAYS: '2' } })
afterAll(() => service.stop())
const all = () => jobs(service.context)

test('a new node runs each of its jobs within a minute', () => {
  const late = all().filter(({ everyMs, firstMs = everyMs }) => firstMs > minuteMs)
  expect(late.map(({ name }) => name)).toEqual([])
})

test('the hour in which a node starts is recorded as such', async () => {
  const { context, clock } = service
  await all()
    .find(({ name }) => name === 'record-shop-hour')
    ?.run()
  const hours = await context.db.query<{ starts_at: number }>('SELECT starts_at FROM shop_hours')
  expect(hours.map(({ starts_at }) => starts_at)).toEqual([clock.now() - (clock.now() % hourMs)])
})

test('events are kept for as many days as configured', async () => {
  const { db } = service.context
  const prune = all().find(({ name }) => name === 'delete-old-events')
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

/** What each job deletes, and how long it is kept. */
const deletions: Record<string, { rows: string; keptMs: number }> = {
  'delete-key-changes': { rows: 'key_changes', keptMs: 2 * minuteMs },
  'delete-expired-responses': { rows: 'idempotent_responses', keptMs: dayMs },
  'delete-old-secrets': { rows: 'api_key_secrets WHERE expires_at IS NOT NULL', keptMs: dayMs },
  'delete-old-counters': { rows: "rate_counters WHERE period = 'day'", keptMs: 3 * dayMs },
  'delete-old-events': { rows: 'events', keptMs: 2 * dayMs },
  'delete-old-deliveries': { rows: 'webhook_deliveries', keptMs: 30 * dayMs },
  'delete-old-usage': { rows: 'usage_hours', keptMs: 90 * dayMs },
  'delete-old-shop-hours': { rows: `shop_hours WHERE starts_at < ${longAgo + 3 * dayMs}`, keptMs: 90 * dayMs },
  'delete-old-shop-counts': { rows: 'shop_counts WHERE starts_at > 0', keptMs: 90 * dayMs },
}

test('each job deletes what is no longer kept, and nothing before', async () => {
  const { admin, clock, context } = service
  const run = async (name: string) =>
    all()
      .find((job) => job.name === name)
      ?.run()
  const count = async (rows: string) =>
    Number((await context.db.query<{ n: number }>(`SELECT count(*) AS n FROM ${rows}`))[0]?.n)

  const start = clock.now()
  const client = await service.newClient()
  await flood(client, 3)
  await admin.post('/store/orders', { petId: await admin.newPet() }, { 'Idempotency-Key': 'once' })
  await admin.post(`/keys/${client.keyId}/rotate`, {})
  await using receiver = await startReceiver()
  const webhook = await newWebhook(admin, receiver.url)
  await admin.post(`${webhook.path}/ping`)
  // One that is still being sent while the clock moves may fail, and is then kept until its last attempt.
  await deliveriesOnce(admin, webhook, (all) => all.length > 0 && all.every(({ state }) => state === 'delivered'))
  await admin.patch(webhook.path, { active: false })
  for (const name of ['write-usage', 'add-up-usage', 'write-counters', 'add-up-shop-counts', 'record-shop-hour'])
    await run(name)
  // Transactions of other tests on the same server delay events, and what is not visible yet is not deleted.
  await waitForLog(context.db)

  const expected = all().filter(({ name }) => name.startsWith('delete-'))
  expect(Object.keys(deletions).toSorted()).toEqual(expected.map(({ name }) => name).toSorted())
  for (const [name, { rows, keptMs }] of Object.entries(deletions)) {
    // A minute before the end, and an hour or, for what is kept by hours and days, two days after it.
    clock.set(start + keptMs - minuteMs)
    await run(name)
    expect([name, (await count(rows)) > 0]).toEqual([name, true])
    clock.advance(keptMs > dayMs ? 2 * dayMs : hourMs)
    await run(name)
    expect([name, await count(rows)]).toEqual([name, 0])
  }
})
