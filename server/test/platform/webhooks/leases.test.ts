import { afterAll, expect, test } from 'bun:test'
import { systemRandom } from '../../../src/platform/lib/random.ts'
import { claim, type DeliveryRow } from '../../../src/platform/webhooks/deliveries.ts'
import { recordAttempts } from '../../../src/platform/webhooks/record-attempts.ts'
import { attemptTimeoutMs } from '../../../src/platform/webhooks/send.ts'
import { eventually } from '../../harness/eventually.ts'
import { call, startNodes } from '../../harness/nodes.ts'
import { startReceiver } from './receiver.ts'
import { deliveriesOnce, newWebhook, startShop } from './shop.ts'

// Nodes share the work: a claimed delivery is not claimed by another node until its lease ends.

const service = await startShop()
afterAll(() => service.stop())

test('another node delivers what a dead node had claimed when the lease ends, not before', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  const [failed] = await deliveriesOnce(client, webhook, ([each]) => each.attempts.length === 1)
  receiver.response = 204
  // Another node claims it when it is due, and then dies.
  const due = Date.parse(failed.nextAttemptAt)
  const leaseEndsAt = due + 30_000
  const taken = await service.context.db.transaction((tx) =>
    claim(tx, webhook.id, { room: 5, running: [], now: due, leaseEndsAt }),
  )
  expect(taken.map(({ id }) => id)).toEqual([failed.id])
  service.clock.advance(leaseEndsAt - service.clock.now() - 1)
  // By the time a ping is done, this one would be too.
  await client.post(`${webhook.path}/ping`)
  await deliveriesOnce(client, webhook, ([newest]) => newest.state === 'delivered')
  expect(receiver.received).toHaveLength(2)
  service.clock.advance(1)
  await deliveriesOnce(client, webhook, (all) => all.every(({ state }) => state === 'delivered'))
  expect(receiver.received).toHaveLength(3)
})

test('a delivery stays claimed for as long as its attempt can take', async () => {
  await using receiver = await startReceiver((_, response) => void response)
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  await eventually(() => receiver.received.length === 1)
  const now = service.clock.now() + attemptTimeoutMs
  const takeAll = { room: 5, running: [], now, leaseEndsAt: now + 30_000 }
  expect(await service.context.db.transaction((tx) => claim(tx, webhook.id, takeAll))).toEqual([])
})

test('what was due first is claimed first, and a node whose lease has ended no longer decides', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  for (let count = 0; count < 5; count++) await client.post(`${webhook.path}/ping`)
  const failed: { id: number; nextAttemptAt: string }[] = await deliveriesOnce(
    client,
    webhook,
    (all) => all.length === 5 && all.every(({ attempts }) => attempts.length === 1),
  )
  const byDue = failed.toSorted((one, other) =>
    one.nextAttemptAt === other.nextAttemptAt ? one.id - other.id : one.nextAttemptAt < other.nextAttemptAt ? -1 : 1,
  )
  const { db } = service.context
  const now = service.clock.now() + 10_000
  const claimOne = (at: number): Promise<DeliveryRow> =>
    db.transaction(async (tx) => {
      const options = { room: 1, running: [], now: at, leaseEndsAt: at + 30_000 }
      return (await claim(tx, webhook.id, options))[0] as DeliveryRow
    })
  const claimed: DeliveryRow[] = []
  for (let count = 0; count < 5; count++) claimed.push(await claimOne(now))
  expect(claimed.map(({ id }) => id)).toEqual(byDue.map(({ id }) => id))

  const later = now + 30_000
  const again = await claimOne(later)
  const late = claimed.find(({ id }) => id === again.id) as DeliveryRow
  const finish = (delivery: DeliveryRow) => {
    const finished = { delivery, url: receiver.url, attempt: { status: 204, latencyMs: 1 }, at: now }
    return db.transaction((tx) => recordAttempts(tx, [finished], later, systemRandom))
  }
  const state = async () =>
    (await client.get(`${webhook.path}/deliveries`)).body.find(({ id }: { id: number }) => id === again.id).state
  await finish(late)
  expect(await state()).toBe('pending')
  await finish(again)
  expect(await state()).toBe('delivered')
})

test('two nodes that claim concurrently get different deliveries', async () => {
  await using receiver = await startReceiver(500)
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  for (let count = 0; count < 20; count++) await client.post(`${webhook.path}/ping`)
  await deliveriesOnce(
    client,
    webhook,
    (all) => all.length === 20 && all.every(({ attempts }) => attempts.length === 1),
  )
  const now = service.clock.now() + 10_000
  const taken = await Promise.all(
    Array.from({ length: 8 }, () =>
      service.context.db.transaction((tx) =>
        claim(tx, webhook.id, { room: 5, running: [], now, leaseEndsAt: now + 30_000 }),
      ),
    ),
  )
  const ids = taken.flat().map(({ id }) => id)
  expect(ids).toHaveLength(20)
  expect(new Set(ids).size).toBe(20)
})

test('attempts of a stopped node are made by another node immediately', async () => {
  await using receiver = await startReceiver((_, response) => void response)
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  await eventually(() => receiver.received.length === 1)
  receiver.response = 204
  await service.restart()
  await deliveriesOnce(client, webhook, ([each]) => each.state === 'delivered')
  expect(receiver.received).toHaveLength(2)
})

test.skipIf(process.env.TEST_ENGINE !== 'postgres')('three nodes together deliver each event once', async () => {
  await using receiver = await startReceiver()
  const nodes = await startNodes(3, { WEBHOOK_ALLOW_PRIVATE: 'true' })
  const send = (index: number, path: string, body: object) =>
    call(nodes.nodes[index % 3]?.url as string, nodes.adminSecret, 'POST', path, body)
  await send(0, '/webhooks', { url: receiver.url, events: ['category.created'] })
  const wanted = Array.from({ length: 300 }, (_, index) => `Category ${index}`)
  const responses = await Promise.all(wanted.map((name, index) => send(index, '/categories', { name })))
  // A busy machine rejects some of so many concurrent requests.
  const names = responses.flatMap(({ status, body }) => (status === 201 ? [body.name] : []))
  await eventually(() => receiver.received.length >= names.length)
  expect(receiver.received.map(({ event }) => event.data.name).sort()).toEqual(names.sort())
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(names.length)
  await nodes.stop()
})
