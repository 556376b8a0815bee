import { afterAll, describe, expect, test } from 'bun:test'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { findMovements, movementSorts } from '../../../src/shop/inventory/movements.ts'
import { visibleOrderId } from '../../../src/shop/orders/store.ts'
import { everyPage } from '../../harness/every-page.ts'
import { type Client, startService } from '../../harness/service.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
const alice = await service.newClient()
const bob = await service.newClient()
afterAll(() => service.stop())

interface Movement {
  id: number
  delta: number
  cause: string
  orderId?: number
  reason?: string
  time: string
}

const movementsOf = (client: Client, petId: number, query = '') =>
  everyPage<Movement>(client, `/store/inventory/${petId}/movements?${query}`)

/** A pet with every kind of stock change, a second apart. */
async function pastOfEveryKind() {
  const began = service.clock.now()
  const tick = () => service.clock.advance(1_000)
  const petId = await staff.newPet()
  tick()
  await staff.put(`/store/inventory/${petId}`, { quantity: 5 })
  tick()
  await staff.post(`/store/inventory/${petId}/adjustments`, { delta: 3, reason: 'found' })
  tick()
  const { body: order } = await alice.post('/store/orders', { petId, quantity: 2 })
  tick()
  await alice.patch(`/store/orders/${order.id}`, { quantity: 4 })
  tick()
  await alice.delete(`/store/orders/${order.id}`)
  tick()
  await staff.delete(`/store/inventory/${petId}`)
  tick()
  const at = (seconds: number) => new Date(began + seconds * 1_000).toISOString()
  return { petId, orderId: order.id as number, at }
}

test('stock movements list every change with its cause, newest first', async () => {
  const { petId, orderId, at } = await pastOfEveryKind()
  const { status, body } = await staff.get(`/store/inventory/${petId}/movements`)
  expect(status).toBe(200)
  expect(body.map(({ id: _, ...line }: Movement) => line)).toEqual([
    { delta: -8, cause: 'removed', time: at(6) },
    { delta: 4, cause: 'cancelled', orderId, time: at(5) },
    { delta: -2, cause: 'order_changed', orderId, time: at(4) },
    { delta: -2, cause: 'ordered', orderId, time: at(3) },
    { delta: 3, cause: 'adjusted', reason: 'found', time: at(2) },
    { delta: 4, cause: 'set', time: at(1) },
    { delta: 1, cause: 'registered', time: at(0) },
  ])
})

test('stock movements are filtered by cause and time', async () => {
  const { petId, at } = await pastOfEveryKind()
  const causes = async (query: string) => (await movementsOf(staff, petId, query)).map(({ cause }) => cause)
  expect(await causes('cause=order_changed')).toEqual(['order_changed'])
  for (const query of ['cause=set&cause=cancelled', 'cause=set,cancelled,set', 'cause[]=cancelled&cause[]=set']) {
    expect(await causes(query)).toEqual(['cancelled', 'set'])
  }
  expect(await causes(`from=${at(4)}`)).toEqual(['removed', 'cancelled', 'order_changed'])
  expect(await causes(`to=${at(2)}`)).toEqual(['set', 'registered'])
  expect(await causes(`from=${at(1)}&to=${at(4)}&cause=set,ordered,removed`)).toEqual(['ordered', 'set'])
  expect(await causes(`from=${at(3)}&to=${at(3)}`)).toEqual([])

  const reversed = await staff.get(`/store/inventory/${petId}/movements?from=${at(2)}&to=${at(1)}`)
  expect([reversed.status, reversed.body.errors]).toEqual([
    400,
    [{ in: 'query', path: '/from', message: 'must not be after to' }],
  ])
  const { body } = await staff.get(`/store/inventory/${petId}/movements?cause=order%20changed`)
  expect(body.errors[0].path).toBe('/cause')
})

test('pages neither skip nor repeat a line, although many have the same time and more are added', async () => {
  const petId = await staff.newPet()
  for (let count = 0; count < 12; count++) {
    if (count % 4 === 0) service.clock.advance(1_000)
    if (count % 3 === 0) await staff.put(`/store/inventory/${petId}`, { quantity: 100 * (count + 1) })
    else await staff.post(`/store/inventory/${petId}/adjustments`, { delta: count })
  }
  const whole = await movementsOf(staff, petId, 'limit=100')
  expect(whole).toHaveLength(13)
  expect(whole.map(({ id }) => id)).toEqual(whole.map(({ id }) => id).toSorted((a, b) => b - a))
  for (const limit of [1, 2, 5, 13]) expect(await movementsOf(staff, petId, `limit=${limit}`)).toEqual(whole)
  const some = whole.filter(({ cause }) => cause !== 'adjusted')
  expect(await movementsOf(staff, petId, 'limit=2&cause=set,registered')).toEqual(some)

  const { headers, body } = await staff.get(`/store/inventory/${petId}/movements?limit=4`)
  await staff.post(`/store/inventory/${petId}/adjustments`, { delta: 1 })
  const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1]
  const rest = await movementsOf(staff, petId, `limit=4&cursor=${cursor}`)
  expect([...body, ...rest]).toEqual(whole)
  const elsewhere = await staff.get(`/store/inventory/${await staff.newPet()}/movements?limit=4&cursor=${cursor}`)
  expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'invalid_cursor'])
})

test('the stock movements of a deleted item or pet can be read; a pet that never existed is not found', async () => {
  const { petId } = await pastOfEveryKind()
  const before = await movementsOf(staff, petId)
  expect((await staff.delete(`/pets/${petId}`)).status).toBe(204)
  expect(await movementsOf(staff, petId)).toEqual(before)
  expect(await movementsOf(staff, petId, 'from=9999-01-01T00:00:00Z')).toEqual([])

  const categoryId = await staff.newCategory()
  const { body: sold } = await staff.post('/pets', { name: 'Gone', categoryId, status: 'sold' })
  expect(await movementsOf(staff, sold.id)).toEqual([])
  for (const never of [petId + 1_000_000, 0, '9223372036854775807']) {
    const { status, body } = await staff.get(`/store/inventory/${never}/movements`)
    expect([status, body.code]).toEqual([404, 'pet_not_found'])
  }
})

test('a line shows an order only to callers with access to it', async () => {
  const petId = await staff.newPet(5)
  const { body: hers } = await alice.post('/store/orders', { petId })
  const { body: his } = await bob.post('/store/orders', { petId, complete: true })
  const named = async (client: Client) =>
    (await movementsOf(client, petId, 'cause=ordered')).map(({ orderId }) => orderId)
  expect(await named(staff)).toEqual([his.id, hers.id])
  expect(await named(alice)).toEqual([undefined, hers.id])
  expect(await named(bob)).toEqual([his.id, undefined])
  await alice.delete(`/store/orders/${hers.id}`)
  expect(await named(alice)).toEqual([undefined, hers.id])
  expect(await named(bob)).toEqual([his.id, undefined])
  expect(await named(await service.newClient({ scopes: ['inventory:read'] }))).toEqual([undefined, undefined])
})

describe.if(process.env.TEST_ENGINE !== 'postgres')('on SQLite', () => {
  test('a page is read in order from the index, with any filters', async () => {
    const { db } = service.context
    const steps: string[] = []
    const explaining: Queryable = {
      ...db,
      async query<R>(sql: string, params?: Parameters<Queryable['query']>[1]) {
        const plan = await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
        steps.push(...plan.map(({ detail }) => detail).filter((detail) => /stock_movements/.test(detail)))
        return [] as R[]
      },
    }
    for (const filter of [{}, { causes: ['set'] as const }, { from: 1, to: 2 }]) {
      for (const after of [undefined, [5, 5]]) {
        const keyset = { sort: movementSorts['-at'], limit: 20, after }
        await findMovements(explaining, visibleOrderId(1, 'stock_movements.order_id'), { petId: 1, ...filter }, keyset)
      }
    }
    expect(steps).toHaveLength(2 * (8 + 1 + 8))
    for (const step of steps) expect(step).toMatch(/USING INDEX stock_movements_by_cause \(pet_id=\? AND cause=\?/)
  })
})
