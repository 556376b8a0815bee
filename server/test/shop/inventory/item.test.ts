import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'
import { expectBalance, movements } from '../pets/movements.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

const entry = (petId: number) => `/store/inventory/${petId}`
const unknownPet = 9_007_199_254_740_991

test('registering a pet puts one in stock', async () => {
  const petId = await staff.newPet()
  const { status, body, headers } = await staff.get(entry(petId))
  expect(status).toBe(200)
  expect(body).toEqual({ petId, quantity: 1, status: 'available' })
  expect(headers.get('etag')).toMatch(/^"[\w-]+"$/)
  expect(await movements(service, petId)).toEqual({ registered: 1 })
})

test('a pet registered as sold has an inventory item with none in stock', async () => {
  const categoryId = await staff.newCategory()
  const { body: pet } = await staff.post('/pets', { name: 'Rex', categoryId, status: 'sold' })
  expect((await staff.get(entry(pet.id))).body).toEqual({ petId: pet.id, quantity: 0, status: 'sold' })
})

test('a count is raised and lowered by setting it', async () => {
  const petId = await staff.newPet()
  for (const quantity of [10, 3, 0, 1_000_000_000, 7]) {
    const { status, body } = await staff.put(entry(petId), { quantity })
    expect(status).toBe(200)
    expect(body).toEqual({ petId, quantity, status: quantity > 0 ? 'available' : 'sold' })
    expect((await staff.get(entry(petId))).body).toEqual(body)
    await expectBalance(service, petId)
  }
})

test('setting the current count adds no stock movement', async () => {
  const petId = await staff.newPet(5)
  await staff.put(entry(petId), { quantity: 5 })
  expect(await movements(service, petId)).toEqual({ registered: 1, set: 4 })
})

test('setting a count creates a missing inventory item: 201 with its location', async () => {
  const petId = await staff.newPet(4)
  expect((await staff.delete(entry(petId))).status).toBe(204)
  expect((await staff.get(entry(petId))).body.code).toBe('inventory_not_found')
  expect((await staff.get(`/pets/${petId}/profile`)).body).toMatchObject({ stock: 0, status: 'sold' })

  const made = await staff.put(entry(petId), { quantity: 2 })
  expect(made.status).toBe(201)
  expect(made.headers.get('location')).toBe(`http://petstore.test${entry(petId)}`)
  expect(made.body).toEqual({ petId, quantity: 2, status: 'available' })
  expect(await movements(service, petId)).toEqual({ registered: 1, set: 5, removed: -4 })
  await expectBalance(service, petId)
})

test('an inventory item can be deleted once', async () => {
  const [petId, otherId] = [await staff.newPet(), await staff.newPet()]
  expect((await staff.delete(entry(petId))).status).toBe(204)
  expect((await staff.delete(entry(petId))).body.code).toBe('inventory_not_found')
  expect((await staff.get(entry(otherId))).body.quantity).toBe(1)
})

test('a pet that does not exist has no stock to get, set, delete or adjust', async () => {
  expect((await staff.get(entry(unknownPet))).body.code).toBe('inventory_not_found')
  expect((await staff.put(entry(unknownPet), { quantity: 1 })).body.code).toBe('pet_not_found')
  expect((await staff.delete(entry(unknownPet))).body.code).toBe('inventory_not_found')
  expect((await staff.post(`${entry(unknownPet)}/adjustments`, { delta: 1 })).body.code).toBe('inventory_not_found')
})

test('deleting a pet deletes its inventory item', async () => {
  const petId = await staff.newPet(3)
  await staff.delete(`/pets/${petId}`)
  expect((await staff.get(entry(petId))).status).toBe(404)
  expect(await movements(service, petId)).toEqual({ registered: 1, set: 2, removed: -3 })
})

test('If-None-Match returns 304 until the count changes', async () => {
  const petId = await staff.newPet(2)
  const etag = (await staff.get(entry(petId))).headers.get('etag') as string
  const same = await staff.get(entry(petId), { 'If-None-Match': etag })
  expect(same.status).toBe(304)
  expect(same.text).toBe('')
  await staff.put(entry(petId), { quantity: 3 })
  expect((await staff.get(entry(petId), { 'If-None-Match': etag })).status).toBe(200)
})

test('If-Match sets and deletes only the version it names', async () => {
  const petId = await staff.newPet(2)
  const stale = (await staff.get(entry(petId))).headers.get('etag') as string
  const set = await staff.put(entry(petId), { quantity: 3 }, { 'If-Match': stale })
  expect(set.status).toBe(200)
  expect((await staff.put(entry(petId), { quantity: 4 }, { 'If-Match': stale })).status).toBe(412)
  expect((await staff.delete(entry(petId), { 'If-Match': stale })).body.code).toBe('precondition_failed')
  expect((await staff.get(entry(petId))).body.quantity).toBe(3)

  const current = set.headers.get('etag') as string
  expect((await staff.delete(entry(petId), { 'If-Match': current })).status).toBe(204)
  expect((await staff.put(entry(petId), { quantity: 1 }, { 'If-Match': '*' })).status).toBe(412)
})

test('If-None-Match: * sets a count only where there is none, and the 412 says so', async () => {
  const petId = await staff.newPet(2)
  const only = { 'If-None-Match': '*' }
  const rejected = await staff.put(entry(petId), { quantity: 5 }, only)
  expect([rejected.status, rejected.body.code]).toEqual([412, 'precondition_failed'])
  expect(rejected.body.message).toStartWith(
    'The resource already exists, and `If-None-Match: *` requires that it does not.',
  )
  expect((await staff.get(entry(petId))).body.quantity).toBe(2)
  await staff.delete(entry(petId))
  expect((await staff.put(entry(petId), { quantity: 5 }, only)).status).toBe(201)
})
