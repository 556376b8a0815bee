import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Client, type Service, startService } from '../harness/service.ts'
import { expectBalance, movements } from '../stock/ledger.ts'

let service: Service
let staff: Client
beforeAll(async () => {
  service = await startService()
  staff = await service.newClient({ preset: 'staff' })
})
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

test('an adjustment never goes above what a count may be', async () => {
  const petId = await staff.newPet(1_000_000_000)
  const { status, body } = await adjust(petId, 1)
  expect(status).toBe(400)
  expect(body.errors).toEqual([{ in: 'body', path: '/delta', message: 'must leave at most 1000000000 in stock' }])
  expect((await adjust(petId, -1)).body.quantity).toBe(999_999_999)
})

test('adjustments at once lose nothing', async () => {
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
