import { afterAll, expect, test } from 'bun:test'
import { everyPage } from '../../harness/every-page.ts'
import { type ApiResponse, type Client, startService } from '../../harness/service.ts'

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
const alice = await service.newClient({ name: 'Alice' })
const bob = await service.newClient({ name: 'Bob' })
afterAll(() => service.stop())

interface Order {
  id: number
  petId: number
  complete: boolean
}

const place = async (client: Client, petId: number, complete = false): Promise<Order> =>
  (await client.post('/store/orders', { petId, complete })).body

test("another client's order looks like one that does not exist", async () => {
  const petId = await staff.newPet(5)
  const headers = { 'X-Request-Id': 'the-same-each-time' }
  // The remaining quota and the time change with each call; every other byte must be equal.
  const comparable = ({ status, headers, text }: ApiResponse) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => !/^(date|x-ratelimit-remaining|ratelimit)$/.test(name)),
  })
  const calls: ((id: number) => Promise<ApiResponse>)[] = [
    (id) => bob.get(`/store/orders/${id}`, headers),
    (id) => bob.patch(`/store/orders/${id}`, { quantity: 2 }, headers),
    (id) => bob.delete(`/store/orders/${id}`, headers),
    (id) => bob.delete(`/store/orders/${id}`, { ...headers, 'If-Match': '"stale"' }),
  ]
  for (const call of calls) {
    const order = await place(alice, petId)
    const whileThere = comparable(await call(order.id))
    expect((await alice.get(`/store/orders/${order.id}`)).body).toEqual(order)
    await alice.delete(`/store/orders/${order.id}`)
    expect(whileThere.status).toBe(404)
    expect(comparable(await call(order.id))).toEqual(whileThere)
  }
})

test('a key that manages keys sees which key placed an order, and its tag is as good as any other', async () => {
  const petId = await staff.newPet(3)
  const order = await place(alice, petId)
  const seen = await service.admin.get(`/store/orders/${order.id}`)
  expect(seen.body).toEqual({ ...order, keyId: alice.keyId })
  expect((await service.admin.get(`/store/orders?petId=${petId}`)).body).toEqual([seen.body])
  for (const client of [alice, staff]) expect((await client.get(`/store/orders/${order.id}`)).body).toEqual(order)
  const ifMatch = { 'If-Match': seen.headers.get('etag') ?? '' }
  const changed = await alice.patch(`/store/orders/${order.id}`, { quantity: 2 }, ifMatch)
  expect([changed.status, changed.body.quantity]).toEqual([200, 2])
  expect((await service.admin.patch(`/store/orders/${order.id}`, { quantity: 3 }, ifMatch)).status).toBe(412)
})

test('a key lists its own orders; orders:all lists, changes and cancels everyone’s', async () => {
  const petId = await staff.newPet(10)
  const hers = [await place(alice, petId), await place(alice, petId, true)]
  const his = [await place(bob, petId)]
  const list = async (client: Client) => (await client.get(`/store/orders?petId=${petId}`)).body
  expect(await list(alice)).toEqual(hers)
  expect(await list(bob)).toEqual(his)
  expect(await list(staff)).toEqual([...hers, ...his])

  expect((await staff.patch(`/store/orders/${his[0]?.id}`, { quantity: 2 })).status).toBe(200)
  expect((await bob.get(`/store/orders/${his[0]?.id}`)).body.quantity).toBe(2)
  expect((await staff.delete(`/store/orders/${hers[0]?.id}`)).status).toBe(204)
  expect(await list(alice)).toEqual(hers.slice(1))
})

test('orders are filtered, sorted and returned in pages', async () => {
  const client = await service.newClient()
  const pets = [await staff.newPet(20), await staff.newPet(20)]
  const orders: Order[] = []
  for (let index = 0; index < 9; index++) {
    orders.push(await place(client, pets[index % 2] as number, index % 3 === 0))
    await place(bob, pets[index % 2] as number)
  }
  const [petId] = pets
  const matching: [string, Order[]][] = [
    ['', orders],
    ['complete=true', orders.filter(({ complete }) => complete)],
    ['complete=false', orders.filter(({ complete }) => !complete)],
    [`petId=${petId}`, orders.filter((order) => order.petId === petId)],
    [`petId=${petId}&complete=true`, orders.filter((order) => order.petId === petId && order.complete)],
    ['petId=9223372036854775807', []],
  ]
  for (const [query, expected] of matching) {
    for (const limit of [1, 2, 4, 100]) {
      expect(await everyPage<Order>(client, `/store/orders?${query}&limit=${limit}`)).toEqual(expected)
      expect(await everyPage<Order>(client, `/store/orders?${query}&sort=-id&limit=${limit}`)).toEqual(
        expected.toReversed(),
      )
    }
  }
})

test('a cursor of one sort is rejected by another', async () => {
  const petId = await staff.newPet(5)
  await place(alice, petId)
  await place(alice, petId)
  const { headers } = await alice.get('/store/orders?limit=1')
  const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1]
  expect((await alice.get(`/store/orders?limit=1&cursor=${cursor}`)).status).toBe(200)
  expect((await alice.get(`/store/orders?limit=1&sort=-id&cursor=${cursor}`)).body.code).toBe('invalid_cursor')
})
