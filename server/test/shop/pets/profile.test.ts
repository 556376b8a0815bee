import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

test('a profile is the pet with its category and its stock', async () => {
  const { body: category } = await staff.post('/categories', { name: 'Cats', description: 'They chose you.' })
  const { body: pet } = await staff.post('/pets', { name: 'Tom', categoryId: category.id })
  await staff.put(`/store/inventory/${pet.id}`, { quantity: 3 })
  const { status, body, headers } = await staff.get(`/pets/${pet.id}/profile`)
  expect(status).toBe(200)
  expect(headers.get('x-stability')).toBeNull()
  expect(headers.get('deprecation')).toBeNull()
  expect(body).toEqual({ ...pet, category, stock: 3, held: false })
})

test('a profile says whether a person holds the status', async () => {
  const petId = await staff.newPet()
  const isHeld = async () => (await staff.get(`/pets/${petId}/profile`)).body.held
  await staff.patch(`/pets/${petId}`, { status: 'sold' })
  expect(await isHeld()).toBeTrue()
  expect((await staff.get(`/pets/profiles?ids=${petId}`)).body).toMatchObject([{ held: true }])
  await staff.patch(`/pets/${petId}`, { status: 'available' })
  expect(await isHeld()).toBeFalse()
})

test('a category without a description has none in the profile', async () => {
  const petId = await staff.newPet()
  expect((await staff.get(`/pets/${petId}/profile`)).body.category).not.toHaveProperty('description')
})

test('If-None-Match returns 304 until pet, category or stock changes', async () => {
  const petId = await staff.newPet()
  const path = `/pets/${petId}/profile`
  const { body, headers } = await staff.get(path)
  let known = { 'If-None-Match': headers.get('etag') as string }
  expect((await staff.get(path, known)).status).toBe(304)
  const changes = [
    () => staff.patch(`/pets/${petId}`, { name: 'Max' }),
    () => staff.patch(`/categories/${body.categoryId}`, { name: 'Hounds' }),
    () => staff.put(`/store/inventory/${petId}`, { quantity: 9 }),
    () => staff.post('/store/orders', { petId }),
  ]
  for (const change of changes) {
    await change()
    const next = await staff.get(path, known)
    expect(next.status).toBe(200)
    known = { 'If-None-Match': next.headers.get('etag') as string }
  }
})

test('a pet that does not exist has no profile', async () => {
  for (const id of ['9007199254740991', '9223372036854775807', '-1', '0']) {
    expect((await staff.get(`/pets/${id}/profile`)).body.code).toBe('pet_not_found')
  }
})
