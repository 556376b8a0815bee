import { afterAll, expect, test } from 'bun:test'
import { jobs } from '../../../src/jobs.ts'
import { dayMs, minuteMs } from '../../../src/platform/lib/time.ts'
import { eventually } from '../../harness/eventually.ts'
import { getBanned } from '../../harness/flood.ts'
import { testClock } from '../../harness/service.ts'
import { startReceiver, verify } from './receiver.ts'
import { categorySeen, deliveriesOnce, newWebhook, startShop } from './shop.ts'

// What a receiver gets, and what the delivery log shows. The clock shows the real time, because receivers compare it with theirs.

const service = await startShop({ clock: testClock(Date.now()) })
afterAll(() => service.stop())

const typesOf = (received: readonly { event: { type: string } }[]) => received.map(({ event }) => event.type)

test('an event arrives signed, under its own id, as GET /events shows it', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  const { secret } = await newWebhook(client, `${receiver.url}/in?from=shop`, { events: ['order.placed'] })
  const petId = await client.newPet(5)
  const { body: order } = await client.post('/store/orders', { petId, quantity: 2 })
  const received = await eventually(() => receiver.received[0])
  expect(verify(secret, received)).toEqual(received.event)
  expect(received.event).toMatchObject({ type: 'order.placed', data: order })
  expect(received.headers).toMatchObject({
    'webhook-id': received.event.id,
    'content-type': 'application/json',
    'user-agent': 'petstore-webhooks/1',
    'accept-encoding': 'identity',
  })
  expect(received.path).toBe('/in?from=shop')
  const seen = await eventually(async () => {
    const { body } = await client.get('/events?type=order.placed')
    return body.length > 0 && body
  })
  expect(seen).toContainEqual(received.event)
})

test('one delivery shows what was sent, but not the signature', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient({ scopes: ['pets:read', 'pets:write', 'webhooks:manage'] })
  const webhook = await newWebhook(client, receiver.url, { events: ['category.*'] })
  await client.newCategory('Sent')
  const [{ id }] = await deliveriesOnce(client, webhook, ([first]) => first?.attempts.length === 1)
  const { status, body } = await client.get(`${webhook.path}/deliveries/${id}`)
  expect(status).toBe(200)
  const [received] = receiver.received
  expect(body.payload).toBe(received?.body)
  expect(body.attempts).toMatchObject([{ status: 500 }])
  const sent = Object.entries(body.attempts[0].headers).map(([name, value]) => [name.toLowerCase(), value])
  expect(received?.headers).toMatchObject(Object.fromEntries(sent))
  expect(sent.map(([name]) => name)).toEqual(['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'])
  const { body: listed } = await client.get(`${webhook.path}/deliveries`)
  expect([listed[0].payload, listed[0].attempts[0].headers]).toEqual([undefined, undefined])

  // A ping is not in the log, but was sent.
  const { body: ping } = await client.post(`${webhook.path}/ping`)
  expect((await client.get(`${webhook.path}/deliveries/${ping.id}`)).body.payload).toContain('"webhook.ping"')
  expect((await client.get(`${webhook.path}/deliveries/987654321`)).body.code).toBe('delivery_not_found')
  const others = await newWebhook(client, `${receiver.url}/other`)
  expect((await client.get(`${others.path}/deliveries/${id}`)).body.code).toBe('delivery_not_found')
  // A key manager may read another key's webhook, but not what was sent to it.
  expect((await service.admin.get(`${webhook.path}/deliveries/${id}`)).body.code).toBe('webhook_not_found')
  // The key has lost the scope to see the event, and with it the payload.
  await service.admin.patch(`/keys/${client.keyId}`, { scopes: ['webhooks:manage'] })
  const hidden = (await client.get(`${webhook.path}/deliveries/${id}`)).body
  expect([hidden.id, hidden.payload]).toEqual([id, undefined])
})

// The receiver checks each request.
test('what is sent is what the description says, the ping too', async () => {
  const { admin } = service
  await using receiver = await startReceiver()
  const { id } = await newWebhook(admin, `${receiver.url}/all`)
  await admin.post(`/webhooks/${id}/ping`)
  const petId = await admin.newPet(3)
  const { body: order } = await admin.post('/store/orders', { petId })
  await admin.patch(`/store/orders/${order.id}`, { quantity: 3 })
  await admin.patch(`/store/orders/${order.id}`, { complete: true })
  const { body: cancelled } = await admin.post('/store/orders', { petId: await admin.newPet(1) })
  await admin.delete(`/store/orders/${cancelled.id}`)
  await admin.delete(`/pets/${petId}`)
  const key = await service.newClient({ limits: { perMinute: 1, perDay: 1_000 }, plan: 'enterprise' })
  await admin.patch(`/keys/${key.keyId}`, { name: 'Short' })
  await getBanned(service, key)
  await admin.delete(`/keys/${key.keyId}/ban`)
  await admin.post(`/keys/${key.keyId}/rotate`, {})
  await admin.delete(`/keys/${key.keyId}`)
  const types = [
    ...['webhook.ping', 'category.created', 'pet.created', 'pet.updated', 'pet.deleted', 'inventory.changed'],
    ...['inventory.low', 'inventory.depleted', 'order.placed', 'order.updated', 'order.completed', 'order.cancelled'],
    ...['key.created', 'key.updated', 'key.banned', 'key.unbanned', 'key.rotated', 'key.revoked'],
  ]
  await eventually(() => types.every((type) => typesOf(receiver.received).includes(type)))
  await admin.delete(`/webhooks/${id}`)
})

test('a webhook gets the event types it subscribes to, from its creation on', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  await categorySeen(client, await client.newCategory('Before'))
  await newWebhook(client, `${receiver.url}/kind`, { events: ['category.*'] })
  await newWebhook(client, `${receiver.url}/type`, { events: ['category.deleted', 'pet.created'] })
  await newWebhook(client, `${receiver.url}/off`, { active: false })
  const categoryId = await client.newCategory('After')
  await client.patch(`/categories/${categoryId}`, { name: 'Later' })
  await client.delete(`/categories/${categoryId}`)
  await eventually(() => receiver.received.length >= 4)
  const at = (path: string) => receiver.received.filter((each) => each.path === path)
  const names = at('/kind').map(({ event }) => event.data.name)
  expect(names.sort()).toEqual(['After', 'Later', 'Later'])
  expect(typesOf(at('/type'))).toEqual(['category.deleted'])
  expect(at('/off')).toEqual([])
})

test('a webhook for low stock is told which pet is low, once, when an order brings it there', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  const petId = await client.newPet(5)
  await newWebhook(client, `${receiver.url}/low`, { events: ['inventory.low'] })
  const quantities = [1, 2, 1]
  for (const quantity of quantities) await client.post('/store/orders', { petId, quantity })
  // Stock that comes and goes again is low a second time.
  await client.put(`/store/inventory/${petId}`, { quantity: 9 })
  await client.put(`/store/inventory/${petId}`, { quantity: 0 })
  await eventually(() => receiver.received.length >= 2)
  const told = receiver.received.map(({ event }) => [event.type, event.data.petId, event.data.quantity])
  expect(told.sort()).toEqual([
    ['inventory.low', petId, 0],
    ['inventory.low', petId, 2],
  ])
})

test('a new webhook gets no event from before it, although events wait to be distributed to another', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  const wanted = { events: ['category.created'] }
  await newWebhook(client, receiver.url, wanted)
  await client.newCategory('Before')
  await eventually(() => receiver.received.length === 1)
  const second = await newWebhook(client, receiver.url, wanted)
  // As if no node had distributed any event since the first was created.
  await service.context.db.transaction((tx) => tx.query('DELETE FROM webhook_position'))
  await client.newCategory('After')
  await eventually(() => receiver.received.length >= 3)
  const names = receiver.received.map(({ event }) => event.data.name)
  expect(names.toSorted()).toEqual(['After', 'After', 'Before'])
  expect(await deliveriesOnce(client, second, ({ length }) => length > 0)).toHaveLength(1)
})

test('a key gets its own orders, one with orders:all gets all, and none gets a key’s secret', async () => {
  await using receiver = await startReceiver()
  const [alice, bob] = [await service.newClient(), await service.newClient()]
  const staff = await service.newClient({ preset: 'staff' })
  const names = { alice, bob, staff, admin: service.admin }
  for (const [name, client] of Object.entries(names)) await newWebhook(client, `${receiver.url}/${name}`)
  const petId = await service.admin.newPet(5)
  await alice.post('/store/orders', { petId })
  const made = await service.newClient({ name: 'Secret' })
  const reader = await service.newClient({ scopes: ['webhooks:manage'] })
  await newWebhook(reader, `${receiver.url}/blind`)
  await service.admin.newCategory('Last')
  const typesAt = (path: string) => typesOf(receiver.received.filter((each) => each.path === `/${path}`))
  await eventually(() =>
    Object.keys(names).every((name) => typesAt(name).filter((t) => t === 'category.created').length === 2),
  )
  const sees = (name: string, type: string) => typesAt(name).includes(type)
  expect(Object.keys(names).map((name) => sees(name, 'order.placed'))).toEqual([true, false, true, true])
  expect(Object.keys(names).map((name) => sees(name, 'key.created'))).toEqual([false, false, false, true])
  expect(typesAt('blind')).toEqual([])
  expect(receiver.received.map(({ body }) => body).join()).not.toContain(made.secret as string)
})

test('a webhook stops when its key is revoked, expires or loses the scope', async () => {
  await using receiver = await startReceiver()
  const [revoked, narrowed, still] = [await service.newClient(), await service.newClient(), await service.newClient()]
  const expired = await service.newClient({ expiresAt: new Date(service.clock.now() + 1_000).toISOString() })
  const paths = { revoked, narrowed, expired, still }
  for (const [name, client] of Object.entries(paths)) await newWebhook(client, `${receiver.url}/${name}`)
  await service.admin.delete(`/keys/${revoked.keyId}`)
  await service.admin.patch(`/keys/${narrowed.keyId}`, { scopes: ['pets:read'] })
  service.clock.advance(1_000)
  await service.admin.newCategory('After')
  await eventually(() => receiver.received.find(({ path, event }) => path === '/still' && event.data.name === 'After'))
  expect(receiver.received.filter(({ path }) => path !== '/still')).toEqual([])
})

test('a ping arrives whatever the webhook subscribes to', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url, { events: ['key.*'] })
  const { body: delivery } = await client.post(`${webhook.path}/ping`)
  const received = await eventually(() => receiver.received[0])
  expect(verify(webhook.secret, received)).toMatchObject({ type: 'webhook.ping', data: { id: webhook.id } })
  expect(received.headers['webhook-id']).toBe(delivery.eventId)
  const [told] = await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
  expect(told.attempts).toEqual([{ time: expect.any(String), status: 204, latencyMs: expect.any(Number) }])
  expect(told).not.toHaveProperty('nextAttemptAt')
})

test('during a rotation both secrets are valid; after the grace period only the new one', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient()
  const { path, secret: old } = await newWebhook(client, receiver.url)
  const { body: rotated } = await client.post(`${path}/rotate`, { graceSeconds: 60 })
  const ping = async () => {
    const { length } = receiver.received
    await client.post(`${path}/ping`)
    return eventually(() => receiver.received[length])
  }
  service.clock.advance(59_000)
  const during = await ping()
  expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2)
  for (const secret of [old, rotated.secret]) expect(verify(secret, during)).toBeObject()
  service.clock.advance(2_000)
  const after = await ping()
  expect(verify(rotated.secret, after)).toBeObject()
  expect(() => verify(old, after)).toThrow()
  const { body: last } = await client.post(`${path}/rotate`, { graceSeconds: 0 })
  expect(String((await ping()).headers['webhook-signature']).split(' ')).toHaveLength(1)
  expect(() => verify(rotated.secret, receiver.received.at(-1) as never)).toThrow()
  expect(verify(last.secret, receiver.received.at(-1) as never)).toBeObject()
})

test('a redelivery is sent under the same id', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  const webhook = await newWebhook(client, receiver.url, { events: ['category.created'] })
  await client.newCategory()
  const [delivery] = await deliveriesOnce(client, webhook, ([each]) => each?.state === 'delivered')
  const again = await client.post(`${webhook.path}/deliveries/${delivery.id}/redeliver`)
  expect([again.status, again.body.state, again.body.attempts.length]).toEqual([202, 'pending', 1])
  await eventually(() => receiver.received.length === 2)
  const [one, two] = receiver.received
  expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
  const [told] = await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
  expect(told.attempts).toHaveLength(2)
})

test('an old delivery that is sent again is retried like any other', async () => {
  const shop = await startShop({ clock: testClock(Date.now()), env: { EVENTS_KEPT_DAYS: '90' } })
  await using receiver = await startReceiver()
  const webhook = await newWebhook(shop.admin, receiver.url, { events: ['category.created'] })
  await shop.admin.newCategory()
  const [delivery] = await deliveriesOnce(shop.admin, webhook, ([each]) => each?.state === 'delivered')
  shop.clock.advance(30 * dayMs - 10 * minuteMs)
  receiver.response = 503
  await shop.admin.post(`${webhook.path}/deliveries/${delivery.id}/redeliver`)
  await deliveriesOnce(shop.admin, webhook, ([each]) => each.attempts.length === 2)
  shop.clock.advance(20 * minuteMs)
  receiver.response = 204
  await jobs(shop.context)
    .find(({ name }) => name === 'delete-old-deliveries')
    ?.run()
  await deliveriesOnce(shop.admin, webhook, ([each]) => each?.state === 'delivered')
  await shop.stop()
})

test('a replay sends the events of a time range, also those from before the webhook, and no others', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  const time = () => new Date(service.clock.now()).toISOString()
  await client.newCategory('Too early')
  service.clock.advance(1_000)
  const from = time()
  await client.newCategory('First')
  await client.newPet(1)
  service.clock.advance(1_000)
  const to = time()
  await categorySeen(client, await client.newCategory('Too late'))
  const webhook = await newWebhook(client, receiver.url, { events: ['category.created', 'pet.created'] })
  const replayed = await client.post(`${webhook.path}/replay`, { from, to, events: ['category.*'] })
  expect([replayed.status, replayed.body]).toEqual([202, { scheduled: 2 }])
  await eventually(() => receiver.received.length === 2)
  expect(receiver.received.map(({ event }) => event.data.name).sort()).toEqual(['Dogs', 'First'])
  // A delivered event is delivered again, but has one delivery in the list.
  expect((await client.post(`${webhook.path}/replay`, { from, to })).body).toEqual({ scheduled: 3 })
  await eventually(() => receiver.received.length === 5)
  expect((await client.get(`${webhook.path}/deliveries`)).body).toHaveLength(3)
  expect((await client.post(`${webhook.path}/replay`, { from: to, to: from })).status).toBe(400)
  expect((await client.post(`${webhook.path}/replay`, { from, after: 'nonsense' })).status).toBe(400)
})

test('deliveries are listed newest first in pages, by state and type', async () => {
  await using receiver = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  const webhook = await newWebhook(client, receiver.url)
  for (const name of ['One', 'Two', 'Three']) await client.newCategory(name)
  await client.post(`${webhook.path}/ping`)
  const all = await deliveriesOnce(
    client,
    webhook,
    (each) => each.filter(({ state }) => state === 'delivered').length === 4,
  )
  const first = await client.get(`${webhook.path}/deliveries?limit=3`)
  expect(first.body).toEqual(all.slice(0, 3))
  const next = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect((await client.get(next)).body).toEqual(all.slice(3))
  const byType = await client.get(`${webhook.path}/deliveries?type=webhook.ping&state=delivered`)
  expect(byType.body).toHaveLength(1)
  expect((await client.get(`${webhook.path}/deliveries?type=webhook.*`)).body).toEqual(byType.body)
  const types = 'type=webhook.ping,category.created&state=pending&state=delivered'
  expect((await client.get(`${webhook.path}/deliveries?${types}`)).body).toEqual(all)
  expect((await client.get(`${webhook.path}/deliveries?state=failed`)).body).toEqual([])
})

test('a receiver that never responds does not delay the others', async () => {
  const waiting: (() => void)[] = []
  await using slow = await startReceiver((_, response) => void waiting.push(() => response.end()))
  await using fast = await startReceiver()
  const client = await service.newClient({ preset: 'staff' })
  await newWebhook(client, slow.url, { events: ['category.created'] })
  for (let count = 0; count < 3; count++) await newWebhook(client, fast.url, { events: ['category.created'] })
  for (let count = 0; count < 40; count++) await client.newCategory(`Category ${count}`)
  await eventually(() => fast.received.length === 120)
  // The slow one has no more concurrent attempts than a webhook may have, and none of them has ended.
  expect(slow.received.length).toBeWithin(1, 17)
  slow.response = 204
  for (const response of waiting) response()
  await eventually(() => slow.received.length === 40)
})
