import { afterAll, expect, test } from 'bun:test'
import { failureOf } from '../../harness/failure-of.ts'
import { patiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'
import { expectBalance, movements } from '../pets/movements.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

const adjust = (petId: number, delta: number, headers?: Record<string, string>) =>
  staff.post(`/store/inventory/${petId}/adjustments`, { delta, reason: 'counted' }, headers)

test('an adjustment adds to the count or takes from it', async () => {
  const petId = await staff.newPet()
  const more = await adjust(petId, 4)
  expect(more.status).toBe(200)
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

const most = 1_000_000_000

test('an adjustment never goes beyond what a request may set', async () => {
  const petId = await staff.newPet()
  expect((await adjust(petId, most - 1)).body.quantity).toBe(most)
  for (const delta of [1, most]) {
    const { status, body } = await adjust(petId, delta)
    expect([status, body.code]).toEqual([409, 'stock_limit'])
  }
  const { quantity } = (await staff.get(`/store/inventory/${petId}`)).body
  expect((await staff.put(`/store/inventory/${petId}`, { quantity })).status).toBe(200)
  expect((await adjust(petId, -most)).body.quantity).toBe(0)
  expect((await adjust(petId, most)).body.quantity).toBe(most)
  await expectBalance(service, petId)
})

test('an order is not returned to a full stock, but is once there is room', async () => {
  const petId = await staff.newPet(most)
  const orders = [7, 5].map((quantity) => patiently(() => staff.post('/store/orders', { petId, quantity })))
  const [first, second] = (await Promise.all(orders)).map(({ body }) => `/store/orders/${body.id}`)
  await staff.put(`/store/inventory/${petId}`, { quantity: most - 5 })
  const lowered = await staff.patch(first as string, { quantity: 1 })
  expect([lowered.status, lowered.body.code]).toEqual([409, 'stock_limit'])
  expect((await staff.delete(second as string)).status).toBe(204)
  const cancelled = await staff.delete(first as string)
  expect([cancelled.status, cancelled.body.code]).toEqual([409, 'stock_limit'])
  expect((await staff.get(first as string)).body.quantity).toBe(7)
  await adjust(petId, -7)
  expect((await staff.delete(first as string)).status).toBe(204)
  expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(most)
  await expectBalance(service, petId)
})

test.each([
  ['UPDATE inventory SET quantity = $2 WHERE pet_id = $1', most + 1],
  ["INSERT INTO stock_movements (pet_id, delta, cause, at) VALUES ($1, $2, 'set', 0)", most + 1],
  ["INSERT INTO stock_movements (pet_id, delta, cause, at) VALUES ($1, $2, 'set', 0)", -most - 1],
])('the database has the same limit: %s', async (statement, beyond) => {
  const petId = await staff.newPet()
  const write = service.context.db.transaction((tx) => tx.query(statement, [petId, beyond]))
  expect(await failureOf(write)).toMatchObject({ kind: 'check' })
})

test('concurrent adjustments lose nothing', async () => {
  const petId = await staff.newPet(0)
  const deltas = Array.from({ length: 200 }, (_, index) => (index % 4 === 0 ? -1 : 1))
  const responses = await Promise.all(deltas.map((delta) => adjust(petId, delta)))
  const done = responses.reduce((sum, { status }, index) => sum + (status === 200 ? (deltas[index] ?? 0) : 0), 0)
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
