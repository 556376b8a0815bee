import { afterAll, expect, test } from 'bun:test'
import { forgetExpiredResponses } from '../../../src/platform/api/idempotency.ts'
import { patiently } from '../../harness/patiently.ts'
import { startService, testClock } from '../../harness/service.ts'

const clock = testClock()
const service = await startService({ clock })
afterAll(() => service.stop())
const api = service.admin
const dayMs = 86_400_000

let made = 0
const newKey = () => ({ 'Idempotency-Key': `key-${made++}` })
const countCategories = async () => {
  const [row] = await service.context.db.query<{ count: number }>('SELECT count(*) AS count FROM categories')
  return row?.count
}

test('a repeated request gets the first response and has no further effect', async () => {
  const headers = newKey()
  const first = await api.post('/categories', { name: 'Dogs' }, headers)
  const count = await countCategories()
  const again = await api.post('/categories', { name: 'Dogs' }, headers)
  expect(again.status).toBe(201)
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await countCategories()).toBe(count)
})

test('a key may be quoted or not, and may have 255 characters either way', async () => {
  const key = `long-${'x'.repeat(250)}`
  const first = await api.post('/categories', { name: 'Dogs' }, { 'Idempotency-Key': key })
  const again = await api.post('/categories', { name: 'Dogs' }, { 'Idempotency-Key': `"${key}"` })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
})

test.each(['', '""', `${'x'.repeat(256)}`, `"${'x'.repeat(256)}"`, 'schlüssel'])(
  '%s is not a valid key',
  async (key) => {
    const { status, body } = await api.post('/categories', { name: 'Dogs' }, { 'Idempotency-Key': key })
    expect([status, body.errors[0].path]).toEqual([400, '/Idempotency-Key'])
  },
)

test('another body or another path with the same key is rejected', async () => {
  const headers = newKey()
  const categoryId = (await api.post('/categories', { name: 'Dogs' }, headers)).body.id
  const [one, other] = [await api.newPet(), await api.newPet()]
  const adjust = (petId: number, headers: Record<string, string>) =>
    api.post(`/store/inventory/${petId}/adjustments`, { delta: 1 }, headers)
  const adjustment = newKey()
  expect((await adjust(one, adjustment)).status).toBe(200)
  for (const response of [
    await api.post('/categories', { name: 'Cats' }, headers),
    await api.post('/pets', { name: 'Rex', categoryId }, headers),
    await adjust(other, adjustment),
  ]) {
    expect([response.status, response.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect(response.headers.get('idempotent-replayed')).toBeNull()
  }
  expect((await api.get(`/store/inventory/${other}`)).body.quantity).toBe(1)
})

test('a key belongs to the API key that sent it', async () => {
  const headers = newKey()
  const other = await service.newClient({ preset: 'staff' })
  const mine = await api.post('/categories', { name: 'Dogs' }, headers)
  const theirs = await other.post('/categories', { name: 'Cats' }, headers)
  expect(theirs.status).toBe(201)
  expect(theirs.body.id).not.toBe(mine.body.id)
})

test('a response is kept for 24 hours and not a moment longer', async () => {
  const headers = newKey()
  const first = await api.post('/categories', { name: 'Dogs' }, headers)
  clock.advance(dayMs - 1)
  await forgetExpiredResponses(service.context.db, clock.now())
  expect((await api.post('/categories', { name: 'Dogs' }, headers)).body).toEqual(first.body)
  clock.advance(1)
  const later = await api.post('/categories', { name: 'Dogs' }, headers)
  expect(later.headers.get('idempotent-replayed')).toBeNull()
  expect(later.body.id).not.toBe(first.body.id)
  expect((await api.post('/categories', { name: 'Dogs' }, headers)).body).toEqual(later.body)
})

test('a response survives a restart', async () => {
  const headers = newKey()
  const first = await api.post('/categories', { name: 'Dogs' }, headers)
  await service.restart()
  expect((await api.post('/categories', { name: 'Dogs' }, headers)).body).toEqual(first.body)
})

test('a rejection by a business rule is stored: 422', async () => {
  const headers = newKey()
  const { body: last } = await api.post('/categories', { name: 'Dogs' })
  const pet = { name: 'Rex', categoryId: last.id + 1 }
  const first = await api.post('/pets', pet, headers)
  expect(first.body.code).toBe('unknown_category')
  // The category is created now, and the response stays the same.
  expect(await api.newCategory()).toBe(pet.categoryId)
  const again = await api.post('/pets', pet, headers)
  expect([again.status, again.body.code, again.body.message]).toEqual([422, first.body.code, first.body.message])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body.requestId).not.toBe(first.body.requestId)
})

test('a rejection by a business rule is stored: 409', async () => {
  const headers = newKey()
  const petId = await api.newPet()
  const order = { petId, quantity: 2 }
  expect((await api.post('/store/orders', order, headers)).body.code).toBe('insufficient_stock')
  await api.put(`/store/inventory/${petId}`, { quantity: 9 })
  const again = await api.post('/store/orders', order, headers)
  expect([again.status, again.body.code]).toEqual([409, 'insufficient_stock'])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('an invalid request is not stored, so it can be corrected', async () => {
  const [headers, again] = [newKey(), newKey()]
  expect((await api.post('/categories', { nam: 'Dogs' }, headers)).status).toBe(400)
  expect((await api.post('/categories', '{', headers)).status).toBe(400)
  expect((await api.post('/categories', { name: 'Dogs' }, headers)).status).toBe(201)
  // A URL that only the action rejects.
  const webhook = { url: 'https://10.0.0.1/', events: ['*'] }
  const rejected = await api.post('/webhooks', webhook, again)
  expect([rejected.status, rejected.body.errors[0].path]).toEqual([400, '/url'])
  expect((await api.post('/webhooks', { ...webhook, url: 'https://shop.example/' }, again)).status).toBe(201)
})

test('a request with a stale ETag is not stored, so it can be sent with the current one', async () => {
  const headers = newKey()
  const path = `/store/inventory/${await api.newPet()}`
  const adjust = (etag: string) => api.post(`${path}/adjustments`, { delta: 1 }, { ...headers, 'If-Match': etag })
  expect((await adjust('"stale"')).status).toBe(412)
  const { status, body } = await adjust((await api.get(path)).headers.get('etag') ?? '')
  expect([status, body.quantity]).toEqual([200, 2])
})

test('a request that was rejected by a limit is not stored', async () => {
  const headers = newKey()
  const limits = { perMinute: 1, perDay: 100 }
  const client = await service.newClient({ plan: 'enterprise', limits, preset: 'staff' })
  await client.get('/pets')
  expect((await client.post('/categories', { name: 'Dogs' }, headers)).status).toBe(429)
  clock.advance(60_000)
  const response = await client.post('/categories', { name: 'Dogs' }, headers)
  expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, null])
})

test('of many concurrent requests one has an effect, and the others get its response or a conflict', async () => {
  const headers = newKey()
  const before = await countCategories()
  const send = () => patiently(() => api.post('/categories', { name: 'Once' }, headers))
  const responses = await Promise.all(Array.from({ length: 20 }, send))
  expect(responses.every(({ status }) => status === 201 || status === 409)).toBeTrue()
  expect(new Set(responses.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1)
  expect(await countCategories()).toBe((before ?? 0) + 1)
})
