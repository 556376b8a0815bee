import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'
import { expectBalance, movements } from '../pets/ledger.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

const adjust = (petId: number, delta: number, headers?: Record<string, string>) =>
  staff.post(`/store/inventory/${petId}/adjustments`, { delta, reason: 'counted' }, headers)

test('an adjustment adds to the count or takes from it', async () => {
  const petId = await staff.newPet()
  const more = await adjust(petId, 4)
  expect(more.status).toBe(200)
  expect(more.headers.get('x-stability')).toBe('beta')
  expect(more.body).toEqual({ petId, quantity: 5, status: 'available' })
  expect((await adjust(petId, -5)).body).toEqual({ petId, quantity: 0, status: 'sold' })
  expect((await adjust(petId, 0)).body.quantity).toBe(0)
  expect((await adjust(petId, 2)).body).toEqual({ petId, quantity: 2, status: 'available' })
  expect(await movements(service, petId)).toEqual({ registered: 1, adjusted: 1 })
  const [row] = await service.context.db.query<{ reason: string }>(
    "SELECT reason FROM stock_movements WHERE pet_id = $1 AND cause = 'adjusted' LIMIT 1",
    [petId],
  )
  expect(row?.reason).toBe('counted')
})

test('an adjustment never goes below zero', async () => {
  const petId = await staff.newPet(3)
  const { status, body } = await adjust(petId, -4)
  expect(status).toBe(409)
  expect(body.code).toBe('insufficient_stock')
  expect(body.message).toContain('has 3 left')
  await expectBalance(service, petId)
})

test('a count has no cap: cancelled and lowered orders return everything, and small adjustments still work', async () => {
  const most = 1_000_000_000
  const petId = await staff.newPet(most)
  const placed = await Promise.all([7, 5].map((quantity) => staff.post('/store/orders', { petId, quantity })))
  const [first, second] = placed.map(({ body }) => body.id)
  expect((await staff.put(`/store/inventory/${petId}`, { quantity: most })).status).toBe(200)
  expect((await staff.patch(`/store/orders/${first}`, { quantity: 1 })).status).toBe(200)
  expect((await staff.delete(`/store/orders/${second}`)).status).toBe(204)
  expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(most + 11)
  for (const [delta, quantity] of [
    [-1, most + 10],
    [1, most + 11],
    [most, 2 * most + 11],
  ] as const) {
    expect(await adjust(petId, delta)).toMatchObject({ status: 200, body: { quantity } })
  }
  await expectBalance(service, petId)
})

test('nothing can be added once a count would not be exact; the stock can still be removed', async () => {
  const petId = await staff.newPet(5)
  const { db } = service.context
  const exact = 9_000_000_000_000_000
  await db.transaction((tx) => tx.query('UPDATE inventory SET quantity = $2 WHERE pet_id = $1', [petId, exact]))
  const { status, body } = await adjust(petId, 1)
  expect([status, body.errors]).toEqual([
    400,
    [{ in: 'body', path: '/delta', message: `must leave at most ${exact} in stock` }],
  ])
  expect((await adjust(petId, -1)).body.quantity).toBe(exact - 1)
})

test('concurrent adjustments lose nothing', async () => {
  const petId = await staff.newPet(0)
  const deltas = Array.from({ length: 200 }, (_, index) => (index % 4 === 0 ? -1 : 1))
  const answers = await Promise.all(deltas.map((delta) => adjust(petId, delta)))
  const done = answers.reduce((sum, { status }, index) => sum + (status === 200 ? (deltas[index] ?? 0) : 0), 0)
  expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(done)
  await expectBalance(service, petId)
})

test('an adjustment with an Idempotency-Key is made once', async () => {
  const petId = await staff.newPet()
  const key = { 'Idempotency-Key': 'delivery-1' }
  const first = await adjust(petId, 5, key)
  const again = await adjust(petId, 5, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
  expect((await adjust(petId, 6, key)).body.code).toBe('idempotency_key_reused')
  expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(6)
})
