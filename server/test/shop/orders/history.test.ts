import { afterAll, expect, test } from 'bun:test'
import { everyPage } from '../../harness/every-page.ts'
import { type Client, startService } from '../../harness/service.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
const alice = await service.newClient()
const bob = await service.newClient()
afterAll(() => service.stop())

const historyOf = async (client: Client, orderId: number) => {
  const { status, body } = await client.get(`/store/orders/${orderId}/history`)
  return status === 200 ? body.map(({ id: _, ...event }: { id: number }) => event) : body.code
}

test('the history of an order shows what changed and when, newest first, also after it was cancelled', async () => {
  const petId = await staff.newPet(9)
  const began = service.clock.now()
  const at = (seconds: number) => new Date(began + seconds * 1_000).toISOString()
  const tick = () => service.clock.advance(1_000)
  const [first, second] = ['2027-02-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z']
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 2 })
  const path = `/store/orders/${order.id}`
  tick()
  await alice.patch(path, { quantity: 3, shipDate: first })
  tick()
  await staff.patch(path, { shipDate: second })
  tick()
  await alice.patch(path, { shipDate: null, quantity: 3 })
  tick()
  await alice.delete(path)
  const events = [
    { kind: 'placed', time: at(0), changes: { petId: { to: petId }, quantity: { to: 2 }, complete: { to: false } } },
    { kind: 'updated', time: at(1), changes: { quantity: { from: 2, to: 3 }, shipDate: { to: first } } },
    { kind: 'updated', time: at(2), changes: { shipDate: { from: first, to: second } } },
    { kind: 'updated', time: at(3), changes: { shipDate: { from: second } } },
    {
      kind: 'cancelled',
      time: at(4),
      changes: { petId: { from: petId }, quantity: { from: 3 }, complete: { from: false } },
    },
  ].reverse()
  expect((await alice.get(path)).status).toBe(404)
  expect(await historyOf(alice, order.id)).toEqual(events)
  expect(await historyOf(staff, order.id)).toEqual(events)
  expect(await historyOf(bob, order.id)).toBe('order_not_found')

  const whole = (await alice.get(`${path}/history`)).body
  for (const limit of [1, 2, 5]) expect(await everyPage(alice, `${path}/history?limit=${limit}`)).toEqual(whole)
})

test('completing an order has its own kind, with everything else that changed', async () => {
  const petId = await staff.newPet(9)
  const { body: order } = await alice.post('/store/orders', { petId })
  await alice.patch(`/store/orders/${order.id}`, { quantity: 2, complete: true })
  const [completed] = await historyOf(alice, order.id)
  expect(completed).toMatchObject({
    kind: 'completed',
    changes: { quantity: { from: 1, to: 2 }, complete: { from: false, to: true } },
  })
  const { body: atOnce } = await alice.post('/store/orders', { petId, complete: true })
  expect(await historyOf(alice, atOnce.id)).toMatchObject([{ kind: 'placed', changes: { complete: { to: true } } }])
})

test('changes without effect and rejected changes are not in the history', async () => {
  const petId = await staff.newPet(3)
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 2 })
  const path = `/store/orders/${order.id}`
  for (const body of [{}, { quantity: 2 }, { complete: false }, { shipDate: null }]) {
    expect((await alice.patch(path, body)).status).toBe(200)
  }
  expect((await alice.patch(path, { quantity: 9 })).status).toBe(409)
  expect((await alice.patch(path, { quantity: 9 }, { 'If-Match': '"stale"' })).status).toBe(412)
  expect((await bob.delete(path)).status).toBe(404)
  expect(await historyOf(alice, order.id)).toHaveLength(1)
  const rejected = await alice.post('/store/orders', { petId, quantity: 9 }, { 'Idempotency-Key': 'too many' })
  expect(rejected.status).toBe(409)
  const [row] = await service.context.db.query<{ events: number }>(
    'SELECT count(*) AS events FROM order_history WHERE order_id > $1',
    [order.id],
  )
  expect(row?.events).toBe(0)
})

test('an order that was never placed, or that another key placed, has no history', async () => {
  expect(await historyOf(alice, 9_000_000)).toBe('order_not_found')
  const petId = await staff.newPet(3)
  const { body: order } = await alice.post('/store/orders', { petId })
  expect(await historyOf(bob, order.id)).toBe('order_not_found')
})
