import { afterAll, expect, test } from 'bun:test'
import { dayMs } from '../../../src/platform/lib/time.ts'
import { reserve } from '../../../src/platform/webhooks/backlog.ts'
import { forgetOldDeliveries } from '../../../src/platform/webhooks/deliveries.ts'
import { catchUp } from '../../../src/platform/webhooks/fan-out.ts'
import { countWaiting } from '../../../src/platform/webhooks/store.ts'
import { eventually } from '../../harness/eventually.ts'
import { type Client, longAgo, testClock, waitForLog } from '../../harness/service.ts'
import { startReceiver } from './receiver.ts'
import { deliveriesOnce, type Made, newWebhook, startShop } from './shop.ts'

// Limits: the cost of a replay, a webhook's backlog, the attempts kept per delivery.

const service = await startShop({ clock: testClock(longAgo) })
afterAll(() => service.stop())

const waitingMax = 10_000
const from = new Date(service.clock.now()).toISOString()

/** Adds deliveries to a webhook's backlog, for events that are not in the log. They are due in a week. */
async function fillBacklog({ id }: Made, count: number): Promise<void> {
  const dueAt = service.clock.now() + 7 * dayMs
  await service.context.db.transaction((tx) =>
    tx.query(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, payload, state, due_at, created_at)
       SELECT ${id}, 'ping_' || n, 'webhook.ping', '{}', 'pending', ${dueAt}, ${service.clock.now()} FROM numbers`,
    ),
  )
}

const emptyBacklog = ({ id }: Made) =>
  service.context.db.transaction((tx) =>
    tx.query(`DELETE FROM webhook_deliveries WHERE webhook_id = ${id} AND event_id LIKE 'ping%'`),
  )

async function waitingFor({ id }: Made): Promise<number> {
  const [row] = await service.context.db.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM webhook_deliveries WHERE webhook_id = ${id} AND state = 'pending'`,
  )
  return row?.waiting ?? 0
}

const remaining = (headers: Headers) => Number(headers.get('x-ratelimit-remaining'))

/** Replays, and says what it cost. */
async function replayed(client: Client, { path }: Made, more: object = {}) {
  const before = remaining((await client.get(path)).headers)
  const { status, body, headers } = await client.post(`${path}/replay`, { from, ...more })
  return { status, body, cost: before - remaining(headers) }
}

test('a replay costs one request per ten deliveries, charged in advance', async () => {
  await using receiver = await startReceiver()
  const staff = await service.newClient({ preset: 'staff' })
  for (let count = 0; count < 35; count++) await staff.newCategory()
  const client = await service.newClient({ plan: 'pro' })
  const webhook = await newWebhook(client, receiver.url, { events: ['category.created'], active: true })
  const replay = (more?: object) => replayed(client, webhook, more)
  expect(await replay()).toMatchObject({ status: 202, body: { scheduled: 35 }, cost: 4 })
  expect(await replay({ limit: 11 })).toMatchObject({ body: { scheduled: 11, next: expect.any(String) }, cost: 2 })
  expect(await replay({ limit: 10 })).toMatchObject({ body: { scheduled: 10 }, cost: 1 })
  expect(await replay({ events: ['category.deleted'] })).toMatchObject({ body: { scheduled: 0 }, cost: 1 })
})

test('a replay that exceeds the quota is rejected, schedules nothing and costs one request', async () => {
  await using receiver = await startReceiver()
  const limits = { perMinute: 4, perDay: 100 }
  const client = await service.newClient({ plan: 'enterprise', limits })
  const webhook = await newWebhook(client, receiver.url, { events: ['category.created'] })
  const rejected = await client.post(`${webhook.path}/replay`, { from })
  expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
  expect(await waitingFor(webhook)).toBe(0)
  // In a new minute it gets as many deliveries as the quota allows, and where to continue.
  service.clock.advance(Number(rejected.headers.get('retry-after')) * 1000)
  const served = await client.post(`${webhook.path}/replay`, { from })
  expect([served.status, served.headers.get('x-ratelimit-remaining')]).toEqual([202, '0'])
  expect(served.body).toEqual({ scheduled: 35 })
  service.clock.advance(60_000)
  const narrow = await service.newClient({ plan: 'enterprise', limits: { perMinute: 2, perDay: 100 } })
  const other = await newWebhook(narrow, receiver.url, { events: ['category.created'] })
  service.clock.advance(60_000)
  const some = await narrow.post(`${other.path}/replay`, { from })
  expect(some.body).toEqual({ scheduled: 20, next: expect.any(String) })
  service.clock.advance(60_000)
  const rest = await narrow.post(`${other.path}/replay`, { from, after: some.body.next })
  expect(rest.body).toEqual({ scheduled: 15 })
  service.clock.advance(60_000)
  expect((await narrow.get(`${other.path}/deliveries?limit=100`)).body).toHaveLength(35)
})

test('a replay costs nothing for deliveries that there is no room for, or that it may not make', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient({ preset: 'staff' })
  const petId = await client.newPet()
  for (let count = 0; count < 25; count++) await client.patch(`/pets/${petId}`, { name: `Rex ${count}` })
  const webhook = await newWebhook(client, receiver.url, { events: ['pet.updated'], active: false })
  await fillBacklog(webhook, waitingMax - 12)
  const inactive = await replayed(client, webhook)
  expect([inactive.body.code, inactive.cost]).toEqual(['webhook_inactive', 1])
  await client.patch(webhook.path, { active: true })
  const some = await replayed(client, webhook)
  expect([some.body, some.cost]).toEqual([{ scheduled: 12, next: expect.any(String) }, 2])
  const full = await replayed(client, webhook)
  expect([full.body.code, full.cost]).toEqual(['webhook_backlog_full', 1])
  // The rest, once there is room again.
  await emptyBacklog(webhook)
  const rest = await replayed(client, webhook, { after: some.body.next })
  expect([rest.body, rest.cost]).toEqual([{ scheduled: 13 }, 2])
})

test.if(process.env.TEST_ENGINE === 'postgres')('two that need the same room at once do not both get it', async () => {
  await using receiver = await startReceiver()
  const webhook = await newWebhook(await service.newClient(), receiver.url)
  const { db } = service.context
  await fillBacklog(webhook, 1)
  await db.transaction((tx) =>
    tx.query('UPDATE webhooks SET waiting_at_most = $1 WHERE id = $2', [waitingMax, webhook.id]),
  )
  const isWaiting = async () => {
    const [row] = await db.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    return row !== undefined
  }
  const [first, second] = await db.transaction(async (tx) => {
    const granted = await reserve(tx, webhook.id, waitingMax)
    const other = db.transaction((tx) => reserve(tx, webhook.id, waitingMax))
    await eventually(isWaiting)
    await tx.query(`DELETE FROM webhook_deliveries WHERE webhook_id = $1`, [webhook.id])
    return [granted, other] as const
  })
  // The second counts what is pending after the first.
  expect([first, await second]).toEqual([waitingMax - 1, waitingMax])
})

test('at most 10,000 deliveries are pending for a webhook: more are rejected, and new events are sent when there is room', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  const webhook = await newWebhook(client, receiver.url, { events: ['category.updated'] })
  await fillBacklog(webhook, waitingMax - 10)
  service.clock.advance(1_000)
  const begin = new Date(service.clock.now()).toISOString()
  await client.patch(webhook.path, { active: false })
  const id = await client.newCategory()
  for (let count = 0; count < 30; count++) await client.patch(`/categories/${id}`, { name: `Old ${count}` })
  receiver.response = 500
  await waitForLog(service.context.db)
  await client.patch(webhook.path, { active: true })
  // There is room for ten; each fails once and is pending again.
  const first = await client.post(`${webhook.path}/replay`, { from: begin })
  expect(first.body).toEqual({ scheduled: 10, next: expect.any(String) })
  await eventually(() => receiver.received.length === 10)
  const full = await client.post(`${webhook.path}/replay`, { from: begin, after: first.body.next })
  expect([full.status, full.body.code]).toEqual([409, 'webhook_backlog_full'])
  expect((await client.post(`${webhook.path}/ping`)).body.code).toBe('webhook_backlog_full')
  const [delivery] = (await client.get(`${webhook.path}/deliveries`)).body
  const again = await client.post(`${webhook.path}/deliveries/${delivery.id}/redeliver`)
  expect(again.body.code).toBe('webhook_backlog_full')
  // New events stay in the log, in order, and another webhook gets them immediately.
  await using other = await startReceiver()
  await newWebhook(client, other.url, { events: ['category.updated'] })
  for (let count = 0; count < 20; count++) await client.patch(`/categories/${id}`, { name: `New ${count}` })
  await eventually(() => other.received.length === 20)
  const { db } = service.context
  await waitForLog(db)
  await catchUp(db, service.context.shop.catalogue, service.clock.now())
  expect(await waitingFor(webhook)).toBe(waitingMax)
  expect(receiver.received.some(({ event }) => event.data.name.startsWith('New'))).toBeFalse()
  receiver.response = 204
  await emptyBacklog(webhook)
  await catchUp(db, service.context.shop.catalogue, service.clock.now())
  await client.patch(`/categories/${id}`, { name: 'Last' })
  const names = () => receiver.received.map(({ event }) => event.data.name).filter((name) => !name.startsWith('Old'))
  await eventually(() => names().includes('Last'))
  await eventually(() => names().length >= 21)
  expect(names().sort()).toEqual(['Last', ...Array.from({ length: 20 }, (_, count) => `New ${count}`)].sort())
}, 120_000)

test.if(process.env.TEST_ENGINE === 'postgres')(
  'with a full backlog, a reactivated webhook still gets no event of the time in which it was inactive',
  async () => {
    await using receiver = await startReceiver()
    const client = await service.newClient({ preset: 'staff' })
    const webhook = await newWebhook(client, `${receiver.url}/full`, { events: ['pet.updated'], active: false })
    await newWebhook(client, `${receiver.url}/other`, { events: ['pet.updated'] })
    await fillBacklog(webhook, waitingMax)
    const petId = await client.newPet()
    const rename = (name: string) => client.patch(`/pets/${petId}`, { name })
    const { db } = service.context
    // Both events are fanned out together, once this lock is free.
    await db.transaction(async (tx) => {
      await eventually(() => tx.tryLock('webhooks: fan out'))
      await rename('While inactive')
      await client.patch(webhook.path, { active: true })
      await rename('While active')
    })
    await eventually(() => receiver.received.length === 2)
    await emptyBacklog(webhook)
    await catchUp(db, service.context.shop.catalogue, service.clock.now())
    const names = () => receiver.received.filter(({ path }) => path === '/full').map(({ event }) => event.data.name)
    await eventually(() => names().includes('While active'))
    expect(names()).toEqual(['While active'])
  },
)

test('twenty attempts per delivery are kept, and no more are read', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  const { body: delivery } = await client.post(`${webhook.path}/ping`)
  const { db } = service.context
  const kept = () => db.query('SELECT id FROM webhook_attempts WHERE delivery_id = $1', [delivery.id])
  for (let count = 1; count <= 23; count++) {
    await eventually(() => receiver.received.length >= count)
    await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
    if (count < 23) await client.post(`${webhook.path}/deliveries/${delivery.id}/redeliver`)
  }
  expect(await kept()).toHaveLength(20)
  const [shown] = (await client.get(`${webhook.path}/deliveries`)).body
  expect(shown.attempts).toHaveLength(20)
}, 120_000)

test('old deliveries are deleted in batches of a hundred', async () => {
  const client = await service.newClient()
  const webhook = await newWebhook(client, 'https://shop.example/hooks')
  await fillBacklog(webhook, 250)
  const { db } = service.context
  const portions: number[] = []
  const counting: typeof db = {
    ...db,
    transaction: (work, allowed) =>
      db.transaction(async (tx) => {
        const query: typeof tx.query = async (sql, params) => {
          const rows = await tx.query(sql, params)
          portions.push(rows.length)
          return rows as never
        }
        return work({ ...tx, query })
      }, allowed),
  }
  // They are due a week later than they were created.
  await forgetOldDeliveries(counting, service.clock.now() + 38 * dayMs)
  expect(portions.length).toBeGreaterThanOrEqual(3)
  expect(Math.max(...portions)).toBe(100)
  expect(await waitingFor(webhook)).toBe(0)
})

test('the pending count is the number of deliveries that will be sent', async () => {
  const { db } = service.context
  const waiting = () => countWaiting(db, service.clock.now())
  const before = await waiting()
  const made = async () => {
    const client = await service.newClient()
    // Of events that no test here causes: one from before may be sent late.
    const webhook = await newWebhook(client, 'https://shop.example/hooks', { events: ['order.cancelled'] })
    await fillBacklog(webhook, 3)
    return { client, webhook }
  }
  const [off, revoked, narrowed, deleted] = [await made(), await made(), await made(), await made()]
  await made()
  expect(await waiting()).toBe(before + 15)
  await off.client.patch(off.webhook.path, { active: false })
  await service.admin.delete(`/keys/${revoked.client.keyId}`)
  await service.admin.patch(`/keys/${narrowed.client.keyId}`, { scopes: ['pets:read'] })
  await deleted.client.delete(deleted.webhook.path)
  expect(await waiting()).toBe(before + 3)
})

test('a replay reads a part of the log at a time, and says where to continue until it reaches the end of the range', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  service.clock.advance(60_000)
  const begin = new Date(service.clock.now()).toISOString()
  await client.newCategory('First')
  const { db } = service.context
  // Dated before it, as by transactions that lasted longer.
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2600)
       SELECT (SELECT max(tx) FROM events), 'pet.created', '{}', ${service.clock.now() - 10_000} FROM n`,
    ),
  )
  await client.newCategory('Second')
  await waitForLog(db)
  const webhook = await newWebhook(client, receiver.url, { events: ['category.created'] })
  const replayed = async (more: object) => (await client.post(`${webhook.path}/replay`, { from: begin, ...more })).body
  const first = await replayed({})
  expect(first).toEqual({ scheduled: 1, next: expect.any(String) })
  expect(await replayed({ after: first.next })).toEqual({ scheduled: 1 })
  await eventually(() => receiver.received.length === 2)
  expect(receiver.received.map(({ event }) => event.data.name).toSorted()).toEqual(['First', 'Second'])
  // A range that ended a minute before what was read last has no more events.
  expect(await replayed({ from, to: new Date(Date.parse(begin) - 70_000).toISOString() })).toEqual({
    scheduled: expect.any(Number),
  })
})
