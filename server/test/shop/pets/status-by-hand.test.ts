import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

const setStatus = (petId: number, status: string) => staff.patch(`/pets/${petId}`, { status })
const setStock = (petId: number, quantity: number) => staff.put(`/store/inventory/${petId}`, { quantity })
const statusOf = async (petId: number) => (await staff.get(`/pets/${petId}/profile`)).body.status

test('a status set against the stock stays and rejects orders until someone sets available', async () => {
  for (const held of ['pending', 'sold']) {
    const petId = await staff.newPet(2)
    expect((await setStatus(petId, held)).body.status).toBe(held)
    for (const quantity of [5, 0, 3]) {
      expect((await setStock(petId, quantity)).body.status).toBe(held)
      expect((await staff.post('/store/orders', { petId })).body.code).toBe('pet_not_available')
    }
    expect((await setStatus(petId, 'available')).body.status).toBe('available')
    expect((await staff.post('/store/orders', { petId })).status).toBe(201)
    expect((await setStock(petId, 0)).body.status).toBe('pending')
  }
})

test('a pet registered pending is held', async () => {
  const categoryId = await staff.newCategory()
  const { body: pet } = await staff.post('/pets', { name: 'Rex', categoryId, status: 'pending' })
  expect((await setStock(pet.id, 4)).body).toEqual({ petId: pet.id, quantity: 4, status: 'pending' })
  await setStatus(pet.id, 'available')
  expect((await setStock(pet.id, 0)).body.status).toBe('sold')
})

test('a pet registered sold follows its stock', async () => {
  const categoryId = await staff.newCategory()
  const { body: pet } = await staff.post('/pets', { name: 'Rex', categoryId, status: 'sold' })
  expect((await setStock(pet.id, 1)).body.status).toBe('available')
})

test('setting the status that follows from the stock does not hold it', async () => {
  const petId = await staff.newPet(0)
  expect((await setStatus(petId, 'sold')).status).toBe(200)
  expect((await setStock(petId, 1)).body.status).toBe('available')
})

test('a hold ends when a person sets the status that now follows from the stock', async () => {
  const petId = await staff.newPet(1)
  await setStatus(petId, 'sold')
  expect((await setStock(petId, 0)).body.status).toBe('sold')
  expect((await setStatus(petId, 'sold')).status).toBe(200)
  expect((await setStock(petId, 4)).body.status).toBe('available')
})

test('sold to pending is rejected even if pending follows from the stock', async () => {
  const petId = await staff.newPet(1)
  expect((await staff.post('/store/orders', { petId })).status).toBe(201)
  expect((await setStatus(petId, 'sold')).body.status).toBe('sold')
  expect((await setStatus(petId, 'pending')).body.code).toBe('invalid_status_transition')
})

test('available with nothing in stock, and sold to pending, are rejected', async () => {
  const petId = await staff.newPet(0)
  for (const status of ['available', 'pending']) {
    const rejected = await setStatus(petId, status)
    expect(rejected.status).toBe(409)
    expect(rejected.body.code).toBe('invalid_status_transition')
  }
  const { categoryId } = (await staff.get(`/pets/${petId}/profile`)).body
  const replaced = await staff.put(`/pets/${petId}`, { name: 'Max', categoryId, status: 'available' })
  expect(replaced.body.code).toBe('invalid_status_transition')
  expect((await staff.get(`/pets/${petId}/profile`)).body).toMatchObject({ name: 'Rex', status: 'sold' })
})

test('stock changes move a pet through available, pending, sold and back', async () => {
  const petId = await staff.newPet(1)
  const { body: order } = await staff.post('/store/orders', { petId })
  expect(await statusOf(petId)).toBe('pending')
  await staff.delete(`/store/orders/${order.id}`)
  expect(await statusOf(petId)).toBe('available')
  const { body: next } = await staff.post('/store/orders', { petId })
  await staff.patch(`/store/orders/${next.id}`, { complete: true })
  expect(await statusOf(petId)).toBe('sold')
  await staff.post(`/store/inventory/${petId}/adjustments`, { delta: 1 })
  expect(await statusOf(petId)).toBe('available')
  await staff.delete(`/store/inventory/${petId}`)
  expect(await statusOf(petId)).toBe('sold')
})
