import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'
import { movements } from './movements.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
const categoryId = await staff.newCategory()
afterAll(() => service.stop())

interface Pet {
  id: number
  name: string
}

const pets = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, categoryId, ...more }))

async function petsInShop(): Promise<number> {
  const [row] = await service.context.db.query<{ count: number }>('SELECT count(*) AS count FROM pets')
  return row?.count ?? 0
}

test('a batch registers pets in order, each as a single request would', async () => {
  const { status, headers, body } = await staff.post('/pets/batch', [
    { name: 'Rex', categoryId },
    { name: 'Held', categoryId, status: 'pending' },
    { name: 'Gone', categoryId, status: 'sold' },
  ])
  expect([status, headers.get('location')]).toEqual([201, null])
  expect(body).toMatchObject([
    { name: 'Rex', categoryId, status: 'available' },
    { name: 'Held', status: 'pending' },
    { name: 'Gone', status: 'sold' },
  ])
  const stocks = await Promise.all(body.map(async ({ id }: Pet) => (await staff.get(`/pets/${id}/profile`)).body.stock))
  expect(stocks).toEqual([1, 1, 0])
  expect(await movements(service, body[0].id)).toEqual({ registered: 1 })
  const { body: hundred } = await staff.post('/pets/batch', pets(100))
  expect(hundred.map(({ name }: Pet) => name)).toEqual(pets(100).map(({ name }) => name))
  const ids = hundred.map(({ id }: Pet) => id)
  expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b))
})

test('a batch with a fault changes nothing, and every fault names its item', async () => {
  const before = await petsInShop()
  const faulty = await staff.post('/pets/batch', [...pets(3), { name: '', categoryId, colour: 'red' }, { categoryId }])
  expect(faulty.status).toBe(400)
  expect(faulty.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
    '/3/colour',
    '/3/name',
    '/4/name',
  ])

  const unknown = await staff.post('/pets/batch', [...pets(3), ...pets(2, { categoryId: 999_999 })], {
    'Idempotency-Key': 'unknown',
  })
  expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown_category'])
  expect(unknown.body.message).toContain('/3/categoryId')
  const fault = { in: 'body', message: 'there is no category 999999' }
  expect(unknown.body.errors).toEqual([
    { ...fault, path: '/3/categoryId' },
    { ...fault, path: '/4/categoryId' },
  ])
  const again = await staff.post('/pets/batch', [...pets(3), ...pets(2, { categoryId: 999_999 })], {
    'Idempotency-Key': 'unknown',
  })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body.errors).toEqual(unknown.body.errors)

  for (const [body, message] of [
    [[], 'must have at least 1 items'],
    [pets(101), 'must have at most 100 items'],
    [{ name: 'Rex', categoryId }, 'must be an array'],
  ] as const) {
    const rejected = await staff.post('/pets/batch', body)
    expect(rejected.body.errors).toEqual([{ in: 'body', path: '', message }])
  }
  expect(await petsInShop()).toBe(before)
})

test('one Idempotency-Key makes a whole batch safe to repeat', async () => {
  const headers = { 'Idempotency-Key': 'litter' }
  const [first, second] = [
    await staff.post('/pets/batch', pets(3), headers),
    await staff.post('/pets/batch', pets(3), headers),
  ]
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.text).toBe(first.text)
})

test('a replayed batch costs one request, even if the quota is too small for the batch', async () => {
  const limits = { perMinute: 12, perDay: 1_000 }
  const client = await service.newClient({ preset: 'staff', plan: 'enterprise', limits })
  const headers = { 'Idempotency-Key': 'costs once' }
  const send = async (body: object) => {
    const response = await client.post('/pets/batch', body, headers)
    return [response.status, response.headers.get('idempotent-replayed'), response.headers.get('x-ratelimit-remaining')]
  }
  const litter = pets(10)
  expect(await send(litter)).toEqual([201, null, '2'])
  expect(await send(litter)).toEqual([201, 'true', '1'])
  // Rejected because the body differs, which also costs one request.
  expect(await send(pets(9))).toEqual([422, null, '0'])
  expect(await send(litter)).toEqual([429, null, '0'])
})
