import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Service, startService } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('a pet is registered, read, replaced, changed and deleted', async () => {
  const api = service.admin
  const categoryId = await api.newCategory()
  const created = await api.post('/pets', { name: 'Rex', categoryId })
  expect(created.status).toBe(201)
  expect(created.headers.get('location')).toBe(`/pets/${created.body.id}`)
  expect(created.body).toEqual({ id: created.body.id, name: 'Rex', categoryId, status: 'available' })

  const path = `/pets/${created.body.id}`
  expect((await api.get(path)).body).toEqual(created.body)
  expect((await api.put(path, { name: 'Max', categoryId })).body.name).toBe('Max')
  expect((await api.patch(path, { name: 'Ben' })).body.name).toBe('Ben')
  expect((await api.delete(path)).status).toBe(204)
  expect((await api.get(path)).body.code).toBe('pet_not_found')
})
