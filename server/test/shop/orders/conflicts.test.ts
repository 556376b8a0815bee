import { afterAll, expect, test } from 'bun:test'
import { patiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'
import { expectBalance } from '../pets/movements.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
const alice = await service.newClient()
afterAll(() => service.stop())

const unknown = 9_007_199_254_740_991

test('more than the stock cannot be ordered, neither when placing nor by a change', async () => {
  const petId = await staff.newPet(2)
  const rejected = await alice.post('/store/orders', { petId, quantity: 5 })
  expect(rejected.status).toBe(409)
  expect(rejected.body).toMatchObject({
    code: 'insufficient_stock',
    message: expect.stringContaining(`Rex (pet ${petId}) has 2 left; 5 were ordered. `),
  })

  const { body: order } = await alice.post('/store/orders', { petId, quantity: 1 })
  const path = `/store/orders/${order.id}`
  expect((await alice.patch(path, { quantity: 3, shipDate: '2027-01-01T00:00:00Z' })).body.code).toBe(
    'insufficient_stock',
  )
  expect((await alice.get(path)).body).toEqual(order)
  await expectBalance(service, petId)
})

test('a pet that is pending or sold cannot be ordered', async () => {
  for (const status of ['pending', 'sold']) {
    const petId = await staff.newPet(2)
    await staff.patch(`/pets/${petId}`, { status })
    const { status: responded, body } = await alice.post('/store/orders', { petId })
    expect(responded).toBe(409)
    expect(body).toMatchObject({
      code: 'pet_not_available',
      message: expect.stringContaining(`Rex (pet ${petId}) is ${status} and cannot be ordered. `),
    })
  }
})

test('a pet that does not exist cannot be ordered', async () => {
  const { status, body } = await alice.post('/store/orders', { petId: unknown })
  expect(status).toBe(422)
  expect(body.code).toBe('unknown_pet')
})

test('a complete order can be neither changed nor cancelled', async () => {
  const petId = await staff.newPet(5)
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 2, complete: true })
  const path = `/store/orders/${order.id}`
  for (const change of [{ quantity: 1 }, { complete: false }, { complete: true }, { shipDate: null }, {}]) {
    const { status, body } = await alice.patch(path, change)
    expect(status).toBe(409)
    expect(body.code).toBe('order_complete')
  }
  expect((await alice.delete(path)).body.code).toBe('order_complete')
  expect((await alice.get(path)).body).toEqual(order)
  await expectBalance(service, petId)
})

test('a pet with an open order cannot be deleted', async () => {
  const petId = await staff.newPet(2)
  const { body: order } = await alice.post('/store/orders', { petId })
  expect((await staff.delete(`/pets/${petId}`)).body.code).toBe('pet_has_open_orders')
  await alice.patch(`/store/orders/${order.id}`, { complete: true })
  expect((await staff.delete(`/pets/${petId}`)).status).toBe(204)
})

test('a quantity is 1 to 10,000', async () => {
  const petId = await staff.newPet(1_000_000)
  expect((await alice.post('/store/orders', { petId, quantity: 10_000 })).status).toBe(201)
  for (const quantity of [0, -1, 10_001, 1.5, '1', null, 2 ** 53]) {
    expect((await alice.post('/store/orders', { petId, quantity })).status).toBe(400)
  }
  expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(990_000)
})

test('If-None-Match returns 304 until the order changes', async () => {
  const petId = await staff.newPet(3)
  const { body: order, headers } = await alice.post('/store/orders', { petId })
  const known = { 'If-None-Match': headers.get('etag') as string }
  expect((await alice.get(`/store/orders/${order.id}`, known)).status).toBe(304)
  await alice.patch(`/store/orders/${order.id}`, { quantity: 2 })
  expect((await alice.get(`/store/orders/${order.id}`, known)).status).toBe(200)
})

test('If-Match changes and cancels only the version it names', async () => {
  const petId = await staff.newPet(5)
  const { body: order, headers } = await alice.post('/store/orders', { petId })
  const path = `/store/orders/${order.id}`
  const stale = { 'If-Match': headers.get('etag') as string }
  const changed = await alice.patch(path, { quantity: 2 }, stale)
  expect(changed.status).toBe(200)
  expect((await alice.patch(path, { quantity: 3 }, stale)).status).toBe(412)
  expect((await alice.delete(path, stale)).body.code).toBe('precondition_failed')
  expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(3)
  expect((await alice.delete(path, { 'If-Match': changed.headers.get('etag') as string })).status).toBe(204)
})

test('of concurrent changes with the same ETag, one succeeds', async () => {
  const petId = await staff.newPet(100)
  const { body: order, headers } = await alice.post('/store/orders', { petId })
  const match = { 'If-Match': headers.get('etag') as string }
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      patiently(() => alice.patch(`/store/orders/${order.id}`, { quantity: index + 2 }, match)),
    ),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 412)).toHaveLength(19)
  await expectBalance(service, petId)
})
