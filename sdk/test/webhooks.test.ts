import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startReceiver } from '../../server/test/platform/webhooks/receiver.ts'
import { startShop } from '../../server/test/platform/webhooks/shop.ts'
import { PetStore, PetStoreError, verifyWebhook } from '../src/index.ts'

const service = await startShop()
afterAll(() => service.stop())
const petstore = new PetStore({ baseUrl: service.url, apiKey: service.adminSecret })
const now = service.clock.now

test('a webhook delivers events signed with the secret from its creation, and after a rotation with both', async () => {
  await using receiver = await startReceiver()
  const webhook = await petstore.webhooks.create({ url: `${receiver.url}/hook`, events: ['category.created'] })
  const secret = webhook.secret as string
  await petstore.categories.create({ name: 'Newts' })
  const first = await eventually(() => receiver.received[0])
  const event = await verifyWebhook(first.body, first.headers, secret, { now })
  expect(event).toMatchObject({ type: 'category.created', data: { name: 'Newts' } })

  const rotated = await petstore.webhooks.rotate(webhook.id, { graceSeconds: 3600 })
  await petstore.categories.create({ name: 'Efts' })
  const second = await eventually(() => receiver.received[1])
  for (const each of [secret, rotated.secret as string]) {
    expect(await verifyWebhook(second.body, second.headers, each, { now })).toMatchObject({ data: { name: 'Efts' } })
  }
})

test('webhooks are read, changed, pinged, listed, redelivered and deleted', async () => {
  await using receiver = await startReceiver()
  const { id } = await petstore.webhooks.create({ url: `${receiver.url}/hook`, events: ['order.*'] })
  expect((await petstore.webhooks.get(id)).events).toEqual(['order.*'])
  expect((await petstore.webhooks.update(id, { events: ['*'] })).events).toEqual(['*'])
  expect((await petstore.webhooks.list().toArray()).map((webhook) => webhook.id)).toContain(id)
  const ping = await petstore.webhooks.ping(id)
  const delivered = await eventually(async () =>
    (await petstore.webhooks.deliveries(id, { state: 'delivered' }).toArray()).find((each) => each.id === ping.id),
  )
  expect(delivered.attempts).toHaveLength(1)
  expect((await petstore.webhooks.delivery(id, ping.id)).payload).toBe(receiver.received[0]?.body)
  await petstore.webhooks.redeliver(id, ping.id)
  await eventually(() => receiver.received[1])
  await petstore.webhooks.delete(id)
  const error = await petstore.webhooks.get(id).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(PetStoreError)
  expect(error.code).toBe('webhook_not_found')
})
