import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin
const [first, second, third] = [await api.newPet(), await api.newPet(0), await api.newPet()]

test.each([
  [`ids=${first},${third}`, [first, third]],
  [`ids=${first}&ids=${third}`, [first, third]],
  [`ids[]=${first}&ids[]=${third}`, [first, third]],
  [`ids%5B%5D=${first}&ids=${second},${third}`, [first, second, third]],
  [`ids=${third}&ids=${third}`, [third]],
  [`status=sold`, [second]],
  [`status=sold,pending`, [second]],
  [`status=sold&status=available`, [first, second, third]],
  [`status[]=sold&status[]=pending`, [second]],
])('?%s selects several values', async (query, expected) => {
  const { body } = await api.get(`/pets?${query}`)
  expect(body.map(({ id }: { id: number }) => id)).toEqual(expected)
})

test.each([
  ['status=bogus', '/status', 'the parameter `status` must be'],
  ['ids=x', '/ids', 'the parameter `ids` must be'],
  ['status=sold,bogus', '/status/1', 'the parameter `/status/1` must be'],
  ['status=sold&status=bogus', '/status/1', 'the parameter `/status/1` must be'],
])('?%s is reported at %s', async (query, path, message) => {
  const { status, body } = await api.get(`/pets?${query}`)
  expect([status, body.errors]).toMatchObject([400, [{ in: 'query', path }]])
  expect(body.message).toContain(message)
})

test('brackets are rejected for a parameter with one value', async () => {
  const { status, body } = await api.get('/pets?limit[]=1')
  expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ['/limit[]']])
})

test('100 ids are the maximum, in all notations together', async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  expect((await api.get(`/pets?ids=${ids(60)}&ids[]=${ids(40)}`)).status).toBe(200)
  expect((await api.get(`/pets?ids=${ids(60)}&ids[]=${ids(41)}`)).status).toBe(400)
})
