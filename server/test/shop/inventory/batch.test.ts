import { afterAll, expect, test } from 'bun:test'
import { patiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'
import { expectBalance } from '../pets/movements.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

async function newPets(count: number): Promise<number[]> {
  const categoryId = await staff.newCategory()
  const pets = Array.from({ length: count }, () => ({ name: 'Rex', categoryId }))
  return (await staff.post('/pets/batch', pets)).body.map(({ id }: { id: number }) => id)
}

const quantityOf = async (petId: number) => (await staff.get(`/store/inventory/${petId}`)).body.quantity

test('a batch sets counts, creates missing inventory items, and returns them in order', async () => {
  const [first = 0, second = 0, third = 0] = await newPets(3)
  await staff.delete(`/store/inventory/${second}`)
  const { status, body } = await staff.patch('/store/inventory', [
    { petId: third, quantity: 0 },
    { petId: first, quantity: 1 },
    { petId: second, quantity: 7 },
  ])
  expect(status).toBe(200)
  expect(body).toEqual([
    { petId: third, quantity: 0, status: 'sold' },
    { petId: first, quantity: 1, status: 'available' },
    { petId: second, quantity: 7, status: 'available' },
  ])
  for (const petId of [first, second, third]) await expectBalance(service, petId)
})

test('a batch with a fault changes nothing, and every fault names its item', async () => {
  const [first = 0, second = 0] = await newPets(2)
  const unknown = await staff.patch('/store/inventory', [
    { petId: first, quantity: 5 },
    { petId: 8_000_001, quantity: 5 },
    { petId: second, quantity: 5 },
    { petId: 8_000_000, quantity: 5 },
  ])
  expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown_pet'])
  expect(unknown.body.message).toContain('/1/petId')
  expect(unknown.body.errors).toEqual([
    { in: 'body', path: '/1/petId', message: 'there is no pet 8000001' },
    { in: 'body', path: '/3/petId', message: 'there is no pet 8000000' },
  ])
  const twice = await staff.patch('/store/inventory', [
    { petId: first, quantity: 5 },
    { petId: second, quantity: 5 },
    { petId: first, quantity: 6 },
  ])
  expect([twice.status, twice.body.errors]).toEqual([
    400,
    [{ in: 'body', path: '/2/petId', message: 'is already at /0' }],
  ])
  expect([await quantityOf(first), await quantityOf(second)]).toEqual([1, 1])
})

test('concurrent batches and orders of the same pets, in any order, never deadlock', async () => {
  const pets = await newPets(10)
  const client = await service.newClient()
  const batches = Array.from({ length: 22 }, (_, round) => {
    const counts = pets.map((petId) => ({ petId, quantity: 100 + round }))
    return patiently(() => staff.patch('/store/inventory', round % 2 === 0 ? counts : counts.toReversed()))
  })
  const orders = pets.map((petId) => patiently(() => client.post('/store/orders', { petId })))
  const responses = await Promise.all([...batches, ...orders])
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]))
  for (const petId of pets) await expectBalance(service, petId)
  const deadlocks = process.env.TEST_ENGINE === 'postgres' ? await deadlocksSoFar() : 0
  expect(deadlocks).toBe(0)
})

/** Read from the server's statistics, because a deadlocked transaction would be retried silently. */
async function deadlocksSoFar(): Promise<number> {
  const [row] = await service.context.db.query<{ deadlocks: number }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  return row?.deadlocks ?? 0
}
