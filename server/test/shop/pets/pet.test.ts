import { afterAll, describe, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

async function newPet(fields: Record<string, unknown> = {}) {
  const categoryId = await api.newCategory()
  const { body } = await api.post('/pets', { name: 'Rex', categoryId, ...fields })
  return { ...body, path: `/pets/${body.id}` }
}

describe('registering', () => {
  test('a pet is created available, with its path and its ETag', async () => {
    const categoryId = await api.newCategory()
    const created = await api.post('/pets', { name: 'Rex', categoryId })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(`http://petstore.test/pets/${created.body.id}/profile`)
    expect(created.body).toEqual({ id: created.body.id, name: 'Rex', categoryId, status: 'available' })
    const read = await api.get(`/pets/${created.body.id}`)
    expect(read.body).toEqual(created.body)
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'))
  })

  test.each([
    ['available', 1],
    ['pending', 1],
    ['sold', 0],
  ])('one registered as %s has %d in stock', async (status, stock) => {
    const pet = await newPet({ status })
    expect(pet.status).toBe(status)
    expect((await api.get(`${pet.path}/profile`)).body.stock).toBe(stock)
  })

  test('a category that does not exist is rejected', async () => {
    const response = await api.post('/pets', { name: 'Rex', categoryId: 2_000_000_000 })
    expect([response.status, response.body.code]).toEqual([422, 'unknown_category'])
  })

  test('names keep every character but outer spaces', async () => {
    for (const name of [
      'Rex  the 2nd',
      '李小龙',
      '🐕‍🦺',
      'O\'Neill "the dog"',
      '%_\\',
      'a'.repeat(200),
      '🐶'.repeat(200),
    ]) {
      expect((await newPet({ name })).name).toBe(name)
    }
  })
})

describe('the profile', () => {
  test('shows the pet with its category and stock', async () => {
    const pet = await newPet()
    const { body: category } = await api.get(`/categories/${pet.categoryId}`)
    const { path, ...fields } = pet
    const profile = await api.get(`${path}/profile`)
    expect(profile.body).toEqual({ ...fields, category, stock: 1, held: false })
    expect(profile.headers.get('x-stability')).toBeNull()
  })

  test('shows a stock of 0 after the inventory item was deleted', async () => {
    const pet = await newPet()
    await api.delete(`/store/inventory/${pet.id}`)
    expect((await api.get(`${pet.path}/profile`)).body).toMatchObject({ stock: 0, status: 'sold' })
  })
})

describe('replacing', () => {
  test('sets name and category; an absent status does not change', async () => {
    const pet = await newPet({ status: 'pending' })
    const categoryId = await api.newCategory('Cats')
    const { status, body } = await api.put(pet.path, { name: 'Max', categoryId })
    expect(status).toBe(200)
    expect(body).toEqual({ id: pet.id, name: 'Max', categoryId, status: 'pending' })
    expect((await api.get(pet.path)).body).toEqual(body)
  })

  test('requires every required field', async () => {
    const pet = await newPet()
    const { body } = await api.put(pet.path, {})
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['/name', '/categoryId'])
  })
})

describe('changing', () => {
  test.each(['application/json', 'application/merge-patch+json', 'application/merge-patch+json; charset=utf-8'])(
    'a patch sent as %s changes what it names and nothing else',
    async (type) => {
      const pet = await newPet()
      const { status, body } = await api.patch(pet.path, { name: 'Ben' }, { 'Content-Type': type })
      expect(status).toBe(200)
      expect(body).toEqual({ id: pet.id, name: 'Ben', categoryId: pet.categoryId, status: 'available' })
    },
  )

  test('an empty patch changes nothing, not even the ETag', async () => {
    const pet = await newPet()
    const before = (await api.get(pet.path)).headers.get('etag')
    expect((await api.patch(pet.path, {})).headers.get('etag')).toBe(before)
  })

  test.each(['name', 'categoryId', 'status', 'id'])('%s cannot be removed with null', async (field) => {
    const pet = await newPet()
    const { status, body } = await api.patch(pet.path, { [field]: null })
    expect([status, body.errors[0].path]).toEqual([400, `/${field}`])
  })

  test('a category that does not exist is rejected, and nothing changes', async () => {
    const pet = await newPet()
    const response = await api.patch(pet.path, { name: 'Ben', categoryId: 2_000_000_000 })
    expect([response.status, response.body.code]).toEqual([422, 'unknown_category'])
    expect((await api.get(pet.path)).body.name).toBe('Rex')
  })

  test('a status can be set against the stock, and the hold ended', async () => {
    const pet = await newPet()
    expect((await api.patch(pet.path, { status: 'sold' })).body.status).toBe('sold')
    const back = await api.patch(pet.path, { status: 'pending' })
    expect([back.status, back.body.code]).toEqual([409, 'invalid_status_transition'])
    expect((await api.patch(pet.path, { status: 'available' })).body.status).toBe('available')
    expect((await api.patch(pet.path, { status: 'pending' })).body.status).toBe('pending')
  })

  test('a pet with nothing in stock cannot be made available', async () => {
    const pet = await newPet({ status: 'sold' })
    const response = await api.put(pet.path, { name: 'Rex', categoryId: pet.categoryId, status: 'available' })
    expect([response.status, response.body.code]).toEqual([409, 'invalid_status_transition'])
  })
})

describe('deleting', () => {
  test('a deleted pet is not found, nor is its stock', async () => {
    const pet = await newPet()
    const deleted = await api.delete(pet.path)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await api.get(pet.path)).body.code).toBe('pet_not_found')
    expect((await api.get(`${pet.path}/profile`)).body.code).toBe('pet_not_found')
    expect((await api.get(`/store/inventory/${pet.id}`)).body.code).toBe('inventory_not_found')
    expect((await api.delete(pet.path)).status).toBe(404)
  })

  test('a pet with an open order cannot be deleted; its complete orders are kept', async () => {
    const pet = await newPet()
    const { body: order } = await api.post('/store/orders', { petId: pet.id })
    const rejected = await api.delete(pet.path)
    expect([rejected.status, rejected.body.code]).toEqual([409, 'pet_has_open_orders'])
    await api.patch(`/store/orders/${order.id}`, { complete: true })
    expect((await api.delete(pet.path)).status).toBe(204)
    expect((await api.get(`/store/orders/${order.id}`)).body).toMatchObject({ petId: pet.id, complete: true })
  })

  test('an id is never reused', async () => {
    const first = await newPet()
    await api.delete(first.path)
    expect((await newPet()).id).toBeGreaterThan(first.id)
  })
})
