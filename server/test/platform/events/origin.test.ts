import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../harness/eventually.ts'
import type { Client } from '../../harness/service.ts'
import { latest, openStream, poll, type Seen } from '../feed/reader.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { newWebhook, startShop } from '../webhooks/shop.ts'

// Who made a change, and which order caused it.

const service = await startShop()
const admin = service.admin
const staff = await service.newClient({ preset: 'staff' })
const alice = await service.newClient()
const bob = await service.newClient()
afterAll(() => service.stop())

/** An order of Alice, changed by the staff; returns its path. */
async function changedOrder(petId: number): Promise<{ id: number; path: string }> {
  const { body: order } = await alice.post('/store/orders', { petId })
  const path = `/store/orders/${order.id}`
  await staff.patch(path, { quantity: 2 })
  return { id: order.id, path }
}

test('the history of an order says who changed it, to keys that manage keys', async () => {
  const { path } = await changedOrder(await staff.newPet(5))
  const keys = async (client: Client) =>
    (await client.get(`${path}/history`)).body.map(({ keyId }: { keyId?: number }) => keyId)
  expect((await keys(admin)).toSorted()).toEqual([staff.keyId, alice.keyId].toSorted())
  for (const client of [staff, alice]) expect(await keys(client)).toEqual([undefined, undefined])
})

test('stock movements say who changed the stock, to keys that manage keys', async () => {
  const petId = await staff.newPet(5)
  await changedOrder(petId)
  const keys = async (client: Client) =>
    (await client.get(`/store/inventory/${petId}/movements`)).body.map(({ keyId }: { keyId?: number }) => keyId)
  expect((await keys(admin)).toSorted()).toEqual([alice, staff, staff, staff].map(({ keyId }) => keyId).toSorted())
  expect(await keys(staff)).toEqual([undefined, undefined, undefined, undefined])
})

test('events say who did it and which order caused them, in lists, streams and webhooks, to keys that may know', async () => {
  await using receiver = await startReceiver()
  await newWebhook(admin, `${receiver.url}/admin`, { events: ['inventory.*'] })
  await newWebhook(staff, `${receiver.url}/staff`, { events: ['inventory.*'] })
  const after = await latest(admin)
  const query = `after=${after}&type=inventory.*`
  const stream = await openStream(`${service.url}/events/stream?${query}`, service.adminSecret)
  const petId = await staff.newPet(1)
  const { body: order } = await alice.post('/store/orders', { petId })

  const seenBy = (client: Client) => poll(client, `/events?${query}`, (seen) => seen.length >= 3)
  const origins = (seen: readonly Seen[]) =>
    seen.map(({ type, orderId, keyId }) => ({ type, ...(orderId && { orderId }), ...(keyId && { keyId }) }))
  const orderId = order.id
  const asAdmin = [
    { type: 'inventory.changed', keyId: staff.keyId },
    { type: 'inventory.changed', orderId, keyId: alice.keyId },
    { type: 'inventory.depleted', orderId, keyId: alice.keyId },
  ]
  expect(origins(await seenBy(admin))).toEqual(asAdmin)
  for (const client of [staff, alice]) {
    expect(origins(await seenBy(client))).toEqual(asAdmin.map(({ keyId: _, ...event }) => event))
  }
  expect(origins(await seenBy(bob))).toEqual(asAdmin.map(({ type }) => ({ type })))

  await stream.until(() => stream.events.length >= 3)
  expect(stream.events).toEqual(await seenBy(admin))
  stream.close()
  const sentTo = (name: string) =>
    eventually(() => {
      // Events of the tests before are sent too if a transaction of another database held them back until now.
      const events = receiver.received
        .filter(({ path, event }) => path === `/${name}` && event.data.petId === petId)
        .map(({ event }) => event)
      return events.length >= 3 && events.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    })
  expect(await sentTo('admin')).toEqual(await seenBy(admin))
  expect(await sentTo('staff')).toEqual(await seenBy(staff))
})
