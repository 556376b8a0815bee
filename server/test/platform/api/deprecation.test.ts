import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin
const petId = await api.newPet()
const sunset = Date.UTC(2027, 5, 30, 23, 59, 59)

const links = (header: string | null): Record<string, string> =>
  Object.fromEntries([...(header ?? '').matchAll(/<([^>]*)>; rel="([^"]+)"/g)].map(([, url, rel]) => [rel, url]))

test.each([
  ['a response', (path: string) => api.get(path), 200],
  ['an error', (path: string) => api.get(`${path}?nope=1`), 400],
  ['a rejection', (path: string) => service.as(undefined).get(path), 401],
  ['HEAD', (path: string) => api.send('HEAD', path), 200],
])('%s of the deprecated operation says since when, until when and what instead', async (_, ask, status) => {
  const response = await ask(`/pets/${petId}`)
  expect(response.status).toBe(status)
  expect(response.headers.get('deprecation')).toBe('@1793491200')
  expect(response.headers.get('sunset')).toBe('Wed, 30 Jun 2027 23:59:59 GMT')
  const link = links(response.headers.get('link'))
  expect(Object.keys(link).sort()).toEqual(['deprecation', 'successor-version', 'sunset'])
  expect(link['successor-version']).toBe(`http://petstore.test/pets/${petId}/profile`)
})

test('other operations of the same path are not deprecated', async () => {
  const response = await api.patch(`/pets/${petId}`, {})
  expect(response.headers.get('deprecation')).toBeNull()
})

test('the Location of a new pet leads to a non-deprecated operation', async () => {
  const categoryId = await api.newCategory()
  const { headers } = await api.post('/pets', { name: 'Rex', categoryId })
  const { pathname } = new URL(headers.get('location') ?? '')
  const read = await api.get(pathname)
  expect([read.status, read.body.name, read.headers.get('deprecation')]).toEqual([200, 'Rex', null])
})

test('the successor responds with the same fields and more', async () => {
  const { body } = await api.get(`/pets/${petId}`)
  expect((await api.get(`/pets/${petId}/profile`)).body).toMatchObject(body)
})

test('from the sunset on the operation is gone, and nothing else is', async () => {
  const later = await startService()
  const { clock, admin: api } = later
  const petId = await api.newPet()
  clock.set(sunset - 1)
  expect((await api.get(`/pets/${petId}`)).status).toBe(200)
  clock.set(sunset)
  const response = await api.get(`/pets/${petId}`)
  expect([response.status, response.body.code]).toEqual([410, 'operation_sunset'])
  expect(response.body.message).toContain('Use GET /pets/{petId}/profile')
  expect(links(response.headers.get('link'))['successor-version']).toBe(`http://petstore.test/pets/${petId}/profile`)
  expect((await api.get(`/pets/${petId}/profile`)).status).toBe(200)
  expect((await api.patch(`/pets/${petId}`, { name: 'Max' })).status).toBe(200)
  expect((await api.delete(`/pets/${petId}`)).status).toBe(204)
  await later.stop()
})
