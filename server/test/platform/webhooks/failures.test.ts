import { afterAll, expect, test } from 'bun:test'
import { eventIdOf } from '../../../src/platform/events/position.ts'
import { dayMs, hourMs, minuteMs } from '../../../src/platform/lib/time.ts'
import { forgetOldDeliveries, insertDeliveries } from '../../../src/platform/webhooks/deliveries.ts'
import { nextAttemptAt, retryDelaysMs } from '../../../src/platform/webhooks/schedule.ts'
import { eventually } from '../../harness/eventually.ts'
import { longAgo, testClock } from '../../harness/service.ts'
import { startReceiver } from './receiver.ts'
import { deliveriesOnce, newWebhook, startShop } from './shop.ts'

// What happens to a delivery that fails, over hours and days of the shop's clock.

const service = await startShop({ clock: testClock(longAgo) })
afterAll(() => service.stop())

/** Moves the clock to the next attempt of a delivery. */
function passUntil(time: string): void {
  service.clock.advance(Math.max(0, Date.parse(time) - service.clock.now()))
}

test('only 2xx is success: anything else is retried on a schedule, and finally given up', async () => {
  const responses = [500, 302, 404, 429, 100 + 399, 503, 301, 400, 401, 500]
  await using receiver = await startReceiver((_, response) => {
    response.writeHead(responses[receiver.received.length - 1] ?? 204).end('no')
  })
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  const delays: number[] = []
  for (let made = 1; made < responses.length; made++) {
    const [delivery] = await deliveriesOnce(client, webhook, ([each]) => each.attempts.length === made)
    expect([delivery.state, delivery.attempts.at(-1)]).toEqual([
      'pending',
      {
        time: new Date(service.clock.now()).toISOString(),
        status: responses[made - 1],
        latencyMs: expect.any(Number),
        response: 'no',
      },
    ])
    delays.push(Date.parse(delivery.nextAttemptAt) - service.clock.now())
    passUntil(delivery.nextAttemptAt)
  }
  for (const [index, delayMs] of delays.entries()) {
    const delay = retryDelaysMs[index] as number
    expect(delayMs).toBeWithin(delay, delay * 1.2 + 1)
  }
  expect(delays).toHaveLength(9)
  const [over] = await deliveriesOnce(client, webhook, ([each]) => each.state === 'failed')
  expect(over.attempts).toHaveLength(10)
  expect(over).not.toHaveProperty('nextAttemptAt')
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  expect([ids.size, receiver.received.length]).toEqual([1, 10])
  // Redelivered on request it starts again, with the first delay if it fails once more.
  responses.push(500)
  await client.post(`${webhook.path}/deliveries/${over.id}/redeliver`)
  const [again] = await deliveriesOnce(client, webhook, ([each]) => each.attempts.length === 11)
  expect(again.state).toBe('pending')
  const delayMs = Date.parse(again.nextAttemptAt) - service.clock.now()
  expect(delayMs).toBeWithin(retryDelaysMs[0], retryDelaysMs[0] * 1.2 + 1)
  passUntil(again.nextAttemptAt)
  const [told] = await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
  expect(told.attempts).toHaveLength(12)
})

test('a replayed event starts again with all its attempts', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient({ preset: 'staff' })
  const webhook = await newWebhook(client, receiver.url, { events: ['category.created'] })
  const from = new Date(service.clock.now()).toISOString()
  await client.newCategory()
  const [failed] = await deliveriesOnce(client, webhook, ([each]) => each?.attempts.length === 1)
  const lastTry = 'UPDATE webhook_deliveries SET failures = $2 WHERE id = $1'
  await service.context.db.transaction((tx) => tx.query(lastTry, [failed.id, retryDelaysMs.length]))
  const { body: replayed } = await client.post(`${webhook.path}/replay`, { from })
  expect(replayed).toEqual({ scheduled: 1 })
  const [again] = await deliveriesOnce(client, webhook, ([each]) => each.attempts.length === 2)
  expect(again.state).toBe('pending')
})

test('nothing is sent before it is due', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  const [delivery] = await deliveriesOnce(client, webhook, ([each]) => each.attempts.length === 1)
  service.clock.advance(Date.parse(delivery.nextAttemptAt) - service.clock.now() - 1)
  // By the time another delivery is done, this one would be too.
  await client.post(`${webhook.path}/ping`)
  await deliveriesOnce(client, webhook, ([newest]) => newest.attempts.length === 1)
  expect(receiver.received.filter(({ headers }) => headers['webhook-id'] === delivery.eventId)).toHaveLength(1)
  service.clock.advance(1)
  await eventually(
    () => receiver.received.filter(({ headers }) => headers['webhook-id'] === delivery.eventId).length === 2,
  )
})

test('delays follow the schedule, extended by up to a fifth', () => {
  const hours = [5_000 / hourMs, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24]
  expect(retryDelaysMs.map((ms) => ms / hourMs)).toEqual(hours)
  for (const [index, delayMs] of retryDelaysMs.entries()) {
    for (let count = 0; count < 100; count++) {
      expect(nextAttemptAt(index + 1, 1_000_000)).toBeWithin(1_000_000 + delayMs, 1_000_000 + delayMs * 1.2 + 1)
    }
  }
  expect(nextAttemptAt(retryDelaysMs.length + 1, 0)).toBeUndefined()
  // Deliveries that failed together are spread over that fifth.
  const times = new Set(Array.from({ length: 100 }, () => nextAttemptAt(1, 0) ?? 0))
  expect(times.size).toBeGreaterThan(50)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(retryDelaysMs[0] / 10)
})

test('an unreachable receiver is reported without a status', async () => {
  const receiver = await startReceiver()
  await receiver[Symbol.asyncDispose]()
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  const [delivery] = await deliveriesOnce(client, webhook, ([each]) => each.attempts.length === 1)
  expect(delivery.attempts[0]).toMatchObject({ status: null, error: 'ECONNREFUSED' })
})

test('410 deactivates a webhook, and an event notifies its owner', async () => {
  await using receiver = await startReceiver(410)
  await using other = await startReceiver()
  const client = await service.newClient()
  // Not a key that may manage keys, which sees the events of all of them.
  const otherOwner = await service.newClient({ preset: 'staff' })
  const webhook = await newWebhook(client, receiver.url)
  await newWebhook(client, `${other.url}/own`, { events: ['webhook.disabled'] })
  await newWebhook(otherOwner, `${other.url}/unrelated`, { events: ['webhook.*'] })
  await client.post(`${webhook.path}/ping`)
  await eventually(() => other.received.length > 0)
  const { body } = await client.get(webhook.path)
  expect(body).toMatchObject({ active: false, disabledReason: 'gone' })
  const [delivery] = (await client.get(`${webhook.path}/deliveries`)).body
  expect([delivery.state, delivery.attempts.length]).toEqual(['failed', 1])
  expect(other.received.map(({ path, event }) => [path, event.type, event.data])).toEqual([
    ['/own', 'webhook.disabled', body],
  ])
  // Reactivated, it works like a new one.
  receiver.response = 204
  const { body: again } = await client.patch(webhook.path, { active: true })
  expect([again.active, again.disabledReason]).toEqual([true, undefined])
  await client.post(`${webhook.path}/deliveries/${delivery.id}/redeliver`)
  await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
})

test('a webhook that fails for five days is deactivated; a success in between restarts the count', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient({ preset: 'staff' })
  const webhook = await newWebhook(client, receiver.url)
  /** Not due, and not being sent, which takes a delivery for a minute: a late failure would count after the next success. */
  const isQuiet = ({ state, nextAttemptAt }: { state: string; nextAttemptAt: string }) => {
    const leftMs = Date.parse(nextAttemptAt) - service.clock.now()
    return state !== 'pending' || (leftMs > 0 && leftMs !== minuteMs)
  }
  const ping = async () => {
    const before = receiver.received.length
    await client.post(`${webhook.path}/ping`)
    await deliveriesOnce(client, webhook, (all) => all.every(isQuiet))
    expect(receiver.received.length).toBeGreaterThan(before)
  }
  await ping()
  service.clock.advance(4 * dayMs)
  await ping()
  receiver.response = 204
  await ping()
  receiver.response = 500
  service.clock.advance(2 * dayMs)
  await ping()
  service.clock.advance(5 * dayMs - minuteMs)
  await ping()
  expect((await client.get(webhook.path)).body.active).toBeTrue()
  // The delivery that failed just now is due again within that minute, and fails once too often.
  service.clock.advance(minuteMs)
  const off = await eventually(async () => {
    const { body } = await client.get(webhook.path)
    return !body.active && body
  })
  expect(off.disabledReason).toBe('failing')
  const { body: events } = await client.get('/events?type=webhook.disabled')
  expect(events.map(({ data }: { data: object }) => data)).toEqual([off])
  // Reactivated, its failures count from now on.
  await client.patch(webhook.path, { active: true })
  await ping()
  expect((await client.get(webhook.path)).body.active).toBeTrue()
})

test('failures of the old URL do not count for a new one', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient()
  const webhook = await newWebhook(client, `${receiver.url}/old`)
  const ping = async () => {
    const { body } = await client.post(`${webhook.path}/ping`)
    await deliveriesOnce(client, webhook, (all) =>
      all.some(({ id, attempts }) => id === body.id && attempts.length === 1),
    )
  }
  await ping()
  await client.patch(webhook.path, { url: `${receiver.url}/new` })
  service.clock.advance(5 * dayMs)
  await ping()
  expect((await client.get(webhook.path)).body).toMatchObject({ url: `${receiver.url}/new`, active: true })
  // Other changes do not restart the count.
  service.clock.advance(5 * dayMs)
  await client.patch(webhook.path, { url: `${receiver.url}/new`, description: 'Still failing' })
  await client.post(`${webhook.path}/ping`)
  await eventually(async () => (await client.get(webhook.path)).body.disabledReason === 'failing')
})

test('a 410 from the old URL does not deactivate a webhook with a new one, which gets the event', async () => {
  let respond = () => {}
  await using old = await startReceiver((_, response) => {
    respond = () => response.writeHead(410).end()
  })
  await using receiver = await startReceiver()
  const client = await service.newClient()
  const webhook = await newWebhook(client, old.url)
  await client.post(`${webhook.path}/ping`)
  await eventually(() => old.received.length === 1)
  await client.patch(webhook.path, { url: receiver.url })
  respond()
  const [delivery] = await deliveriesOnce(client, webhook, ([each]) => each.attempts.length === 1)
  expect([delivery.state, delivery.attempts[0].status]).toEqual(['pending', 410])
  expect((await client.get(webhook.path)).body.active).toBeTrue()
  passUntil(delivery.nextAttemptAt)
  await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
  expect(receiver.received).toHaveLength(1)
})

test('an event that the key can no longer see is not sent', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient({ scopes: ['webhooks:manage', 'pets:read', 'inventory:read'] })
  const webhook = await newWebhook(client, receiver.url, { events: ['category.created'] })
  await service.admin.newCategory()
  const [delivery] = await deliveriesOnce(client, webhook, ([each]) => each?.attempts.length === 1)
  await service.admin.patch(`/keys/${client.keyId}`, { scopes: ['webhooks:manage'] })
  passUntil(delivery.nextAttemptAt)
  const [over] = await deliveriesOnce(client, webhook, ([each]) => each.state === 'failed')
  expect(over.attempts.at(-1)).toMatchObject({ status: null, error: 'the key can no longer see the event' })
  expect(receiver.received).toHaveLength(1)
})

test('an event that is no longer in the log is given up, and its receiver is not blamed', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  const { db, clock } = service.context
  const pruned = { webhookId: webhook.id, eventId: eventIdOf({ tx: 1, id: 2 ** 40 }), eventType: 'pet.created' }
  await db.transaction((tx) => insertDeliveries(tx, [pruned], clock.now(), 'keep'))
  const [over] = await deliveriesOnce(client, webhook, ([each]) => each.state === 'failed')
  expect(over.attempts).toMatchObject([{ status: null, error: 'the event is no longer in the log', latencyMs: 0 }])
  expect(receiver.received).toEqual([])
  expect(await db.query('SELECT failing_since FROM webhooks WHERE id = $1', [webhook.id])).toEqual([
    { failing_since: null },
  ])
})

test('deliveries are kept for 30 days, with their attempts', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  const [{ id }] = await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
  const { db } = service.context
  await forgetOldDeliveries(db, service.clock.now() + 30 * dayMs)
  expect((await client.get(`${webhook.path}/deliveries`)).body).toHaveLength(1)
  await forgetOldDeliveries(db, service.clock.now() + 30 * dayMs + 1)
  expect((await client.get(`${webhook.path}/deliveries`)).body).toEqual([])
  expect(await db.query('SELECT id FROM webhook_attempts WHERE delivery_id = $1', [id])).toEqual([])
})
