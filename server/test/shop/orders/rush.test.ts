import { afterAll, expect, test } from 'bun:test'
import { limitConcurrency } from '../../../src/platform/lib/concurrency.ts'
import { patiently } from '../../harness/patiently.ts'
import { type ApiResponse, type Client, startService } from '../../harness/service.ts'
import { expectBalance } from '../pets/movements.ts'

// Many concurrent requests for the same thing.

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

/** A thousand connections at once only in the whole suite: a busy machine rejects most of them, and each is sent again. */
const atOnce = limitConcurrency(process.env.TEST_WHOLE ? 1_000 : 50)
const together = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => atOnce(() => work(index))))

function tally(responses: ApiResponse[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of responses) {
    const kind = body?.code === undefined ? String(status) : `${status} ${body.code}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

test('1,000 concurrent orders for a stock of 100: 100 are placed, 900 rejected, nothing oversold', async () => {
  const petId = await staff.newPet(100)
  const clients = await together(4, () => service.newClient())
  const responses = await together(1_000, (index) =>
    patiently(() => (clients[index % 4] as Client).post('/store/orders', { petId, quantity: 1 })),
  )
  const { '201': placed, ...rejected } = tally(responses)
  expect(placed).toBe(100)
  // The 101st finds the pet pending; only a request that saw it available can find too little in stock.
  expect((rejected['409 pet_not_available'] ?? 0) + (rejected['409 insufficient_stock'] ?? 0)).toBe(900)
  expect((await staff.get(`/store/inventory/${petId}`)).body).toEqual({ petId, quantity: 0, status: 'pending' })
  expect(new Set(responses.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(100)
  await expectBalance(service, petId)
})

test('300 concurrent orders of 3 for a stock of 100: 33 are placed and one is left', async () => {
  const petId = await staff.newPet(100)
  const responses = await together(300, () => patiently(() => staff.post('/store/orders', { petId, quantity: 3 })))
  expect(tally(responses)).toEqual({ '201': 33, '409 insufficient_stock': 267 })
  expect((await staff.get(`/store/inventory/${petId}`)).body).toEqual({ petId, quantity: 1, status: 'available' })
  await expectBalance(service, petId)
})

test('300 concurrent cancels of one order: one succeeds, the stock returns once', async () => {
  const petId = await staff.newPet(10)
  const client = await service.newClient()
  const { body: order } = await client.post('/store/orders', { petId, quantity: 4 })
  const responses = await together(300, (index) =>
    patiently(() => (index % 2 ? staff : client).delete(`/store/orders/${order.id}`)),
  )
  expect(tally(responses)).toEqual({ '204': 1, '404 order_not_found': 299 })
  expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(10)
  await expectBalance(service, petId)
})

test('concurrent cancels and completions of one order: exactly one succeeds', async () => {
  for (let round = 0; round < 10; round++) {
    const petId = await staff.newPet(1)
    const { body: order } = await staff.post('/store/orders', { petId })
    const path = `/store/orders/${order.id}`
    const responses = await together(20, (index) =>
      patiently(() => (index % 2 === round % 2 ? staff.delete(path) : staff.patch(path, { complete: true }))),
    )
    expect(responses.filter(({ status }) => status < 300)).toHaveLength(1)
    await expectBalance(service, petId)
  }
})

test('after concurrent orders, cancels, changes and counts the stock movements add up', async () => {
  const petId = await staff.newPet(50)
  await together(20, async () => {
    for (let round = 0; round < 5; round++) {
      const { status, body } = await staff.post('/store/orders', { petId, quantity: 2 })
      if (status !== 201) continue
      await staff.patch(`/store/orders/${body.id}`, { quantity: 1 + (round % 4) })
      await staff.post(`/store/inventory/${petId}/adjustments`, { delta: round - 2 })
      await (round % 2 ? staff.delete(`/store/orders/${body.id}`) : staff.get(`/store/orders/${body.id}`))
    }
  })
  await expectBalance(service, petId)
})
