import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'
import { expectBalance, movements } from '../pets/movements.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
const alice = await service.newClient()
afterAll(() => service.stop())

const stockOf = async (petId: number) => (await staff.get(`/store/inventory/${petId}`)).body

test('placing an order takes its quantity from the stock', async () => {
  const petId = await staff.newPet(5)
  const { status, body, headers } = await alice.post('/store/orders', { petId, quantity: 2 })
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(`http://petstore.test/store/orders/${body.id}`)
  const placedAt = new Date(service.clock.now()).toISOString()
  expect(body).toEqual({ id: body.id, petId, quantity: 2, complete: false, placedAt })
  const read = await alice.get(`/store/orders/${body.id}`)
  expect(read.body).toEqual(body)
  expect(read.headers.get('etag')).toBe(headers.get('etag') as string)
  expect(await stockOf(petId)).toEqual({ petId, quantity: 3, status: 'available' })
  expect(await movements(service, petId)).toEqual({ registered: 1, set: 4, ordered: -2 })
  await expectBalance(service, petId)
})

test('the quantity is 1 by default, and an order may be placed complete with a ship date', async () => {
  const petId = await staff.newPet(1)
  const { body } = await alice.post('/store/orders', {
    petId,
    shipDate: '2027-01-31T13:00:00+01:00',
    complete: true,
  })
  expect(body).toMatchObject({ petId, quantity: 1, shipDate: '2027-01-31T12:00:00.000Z', complete: true })
  expect((await stockOf(petId)).status).toBe('sold')
})

test('an order for the last one makes the pet pending; completing it makes the pet sold', async () => {
  const petId = await staff.newPet(2)
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 2 })
  expect(await stockOf(petId)).toEqual({ petId, quantity: 0, status: 'pending' })
  const done = await alice.patch(`/store/orders/${order.id}`, { complete: true })
  expect(done.status).toBe(200)
  expect(done.body).toEqual({ ...order, complete: true })
  expect(await stockOf(petId)).toEqual({ petId, quantity: 0, status: 'sold' })
  await expectBalance(service, petId)
})

test('changing the quantity takes or returns the difference', async () => {
  const petId = await staff.newPet(10)
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 3 })
  const path = `/store/orders/${order.id}`
  expect((await alice.patch(path, { quantity: 10 })).body.quantity).toBe(10)
  expect(await stockOf(petId)).toMatchObject({ quantity: 0, status: 'pending' })
  expect((await alice.patch(path, { quantity: 4 })).body.quantity).toBe(4)
  expect(await stockOf(petId)).toMatchObject({ quantity: 6, status: 'available' })
  expect((await alice.patch(path, { quantity: 4 })).body.quantity).toBe(4)
  expect(await movements(service, petId)).toMatchObject({ ordered: -3, 'order changed': -1 })
  await expectBalance(service, petId)
})

test('a ship date is set, kept by other changes, and cleared by null', async () => {
  const petId = await staff.newPet(5)
  const { body: order } = await alice.post('/store/orders', { petId })
  const path = `/store/orders/${order.id}`
  const shipDate = '2027-02-01T00:00:00.000Z'
  expect((await alice.patch(path, { shipDate })).body.shipDate).toBe(shipDate)
  expect((await alice.patch(path, { quantity: 2 })).body).toMatchObject({ shipDate, quantity: 2 })
  expect((await alice.patch(path, {})).body).toEqual({ ...order, quantity: 2, shipDate })
  expect((await alice.patch(path, { shipDate: null })).body).toEqual({ ...order, quantity: 2 })
})

test('cancelling returns the stock, and works only once', async () => {
  const petId = await staff.newPet(3)
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 3 })
  expect((await alice.delete(`/store/orders/${order.id}`)).status).toBe(204)
  expect(await stockOf(petId)).toEqual({ petId, quantity: 3, status: 'available' })
  expect((await alice.delete(`/store/orders/${order.id}`)).body.code).toBe('order_not_found')
  expect((await alice.get(`/store/orders/${order.id}`)).body.code).toBe('order_not_found')
  expect((await alice.patch(`/store/orders/${order.id}`, { quantity: 1 })).body.code).toBe('order_not_found')
  expect(await movements(service, petId)).toMatchObject({ ordered: -3, cancelled: 3 })
  await expectBalance(service, petId)
})

test('cancelling creates the inventory item again if it was deleted', async () => {
  const petId = await staff.newPet(3)
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 2 })
  await staff.delete(`/store/inventory/${petId}`)
  expect((await staff.get(`/pets/${petId}/profile`)).body).toMatchObject({ stock: 0, status: 'pending' })
  await alice.delete(`/store/orders/${order.id}`)
  expect(await stockOf(petId)).toEqual({ petId, quantity: 2, status: 'available' })
  await expectBalance(service, petId)
})

test('complete orders are kept when their pet is deleted', async () => {
  const petId = await staff.newPet(1)
  const { body: order } = await alice.post('/store/orders', { petId, complete: true })
  expect((await staff.delete(`/pets/${petId}`)).status).toBe(204)
  expect((await alice.get(`/store/orders/${order.id}`)).body).toEqual(order)
  expect((await alice.delete(`/store/orders/${order.id}`)).body.code).toBe('order_complete')
})

test('a time is returned in RFC 3339, or rejected', async () => {
  const petId = await staff.newPet(9)
  const place = (shipDate: string) => alice.post('/store/orders', { petId, shipDate })
  expect((await place('9999-12-31T23:59:59Z')).body.shipDate).toBe('9999-12-31T23:59:59.000Z')
  expect((await place('2027-01-31t12:00:00z')).body.shipDate).toBe('2027-01-31T12:00:00.000Z')
  for (const outside of ['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00']) {
    const { status, body } = await place(outside)
    expect([status, body.errors]).toEqual([
      400,
      [{ in: 'body', path: '/shipDate', message: 'must be in the years 0000 to 9999, in UTC' }],
    ])
  }
  expect((await stockOf(petId)).quantity).toBe(7)
})
