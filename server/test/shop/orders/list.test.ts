import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sortFor } from '../../../src/shop/orders/store.ts'
import { everyPage } from '../../harness/every-page.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'

interface Order {
  id: number
  petId: number
  complete: boolean
  shipDate?: string
}

let service: Service
let staff: Client
let alice: Client
const orders: (Order & { placed: number })[] = []
const day = (number: number) => new Date(Date.UTC(2027, 0, number)).toISOString()
let began = 0
const second = (number: number) => new Date(began + number * 1_000).toISOString()

beforeAll(async () => {
  service = await startService()
  staff = await service.newClient({ preset: 'staff' })
  alice = await service.newClient()
  const bob = await service.newClient()
  const pets = [await staff.newPet(100), await staff.newPet(100)]
  began = service.clock.now()
  // Unsorted ship dates, some equal, some absent; two orders per second.
  for (const [index, date] of [3, 0, 1, 3, 0, 2, 3, 1, 0, 5, 0, 4].entries()) {
    const body = { petId: pets[index % 2], complete: index % 3 === 0, ...(date > 0 && { shipDate: day(date) }) }
    const response = await alice.post('/store/orders', body)
    orders.push({ ...response.body, placed: Math.floor(index / 2) })
    await bob.post('/store/orders', body)
    if (index % 2 === 1) service.clock.advance(1_000)
  }
})
afterAll(() => service.stop())

const idsOf = (some: readonly Order[]) => some.map(({ id }) => id)
const listed = async (query: string, limit = 100) =>
  idsOf(await everyPage<Order>(alice, `/store/orders?${query}&limit=${limit}`))

/** By ship date, then id; those without one last, in both directions. */
function byShipDate(direction: 1 | -1, some: readonly Order[] = orders): number[] {
  const dated = some.filter(({ shipDate }) => shipDate !== undefined)
  const sorted = dated.toSorted((a, b) => {
    const [one = '', other = ''] = [a.shipDate, b.shipDate]
    return direction * (one < other ? -1 : one > other ? 1 : a.id - b.id)
  })
  const others = some.filter(({ shipDate }) => shipDate === undefined)
  return idsOf([...sorted, ...(direction === 1 ? others : others.toReversed())])
}

test('orders sort by ship date in pages, those without one last in both directions', async () => {
  const open = orders.filter(({ complete }) => !complete)
  const first = orders.filter(({ petId }) => petId === orders[0]?.petId)
  for (const limit of [1, 2, 3, 5, 100]) {
    expect(await listed('sort=shipDate', limit)).toEqual(byShipDate(1))
    expect(await listed('sort=-shipDate', limit)).toEqual(byShipDate(-1))
    expect(await listed('sort=shipDate&complete=false', limit)).toEqual(byShipDate(1, open))
    expect(await listed(`sort=-shipDate&petId=${orders[0]?.petId}`, limit)).toEqual(byShipDate(-1, first))
  }
  const everyone = await everyPage<Order>(staff, '/store/orders?sort=shipDate&limit=5')
  expect(idsOf(everyone)).toEqual(
    byShipDate(
      1,
      everyone.toSorted((a, b) => a.id - b.id),
    ),
  )
  expect(everyone).toHaveLength(2 * orders.length)
})

test('orders are found by ship date, from inclusive and to exclusive', async () => {
  const within = orders.filter(({ shipDate = '' }) => shipDate >= day(2) && shipDate < day(4))
  const range = `shipFrom=${day(2)}&shipTo=${day(4)}`
  for (const limit of [1, 2, 100]) {
    expect(await listed(range, limit)).toEqual(idsOf(within))
    expect(await listed(`${range}&sort=-id`, limit)).toEqual(idsOf(within).toReversed())
    expect(await listed(`${range}&sort=shipDate`, limit)).toEqual(byShipDate(1, within))
  }
  expect(await listed(`shipFrom=${day(4)}`)).toEqual(idsOf(orders.filter(({ shipDate = '' }) => shipDate >= day(4))))
  expect(await listed(`shipTo=${day(2)}&sort=-shipDate`)).toEqual(
    byShipDate(
      -1,
      orders.filter(({ shipDate }) => shipDate === day(1)),
    ),
  )
})

test('orders are found by the time they were placed, from inclusive and to exclusive', async () => {
  const within = orders.filter(({ placed }) => placed >= 1 && placed < 4)
  const range = `placedFrom=${second(1)}&placedTo=${second(4)}`
  for (const limit of [1, 2, 100]) {
    expect(await listed(range, limit)).toEqual(idsOf(within))
    expect(await listed(`${range}&sort=-id`, limit)).toEqual(idsOf(within).toReversed())
    expect(await listed(`${range}&sort=-shipDate`, limit)).toEqual(byShipDate(-1, within))
    expect(await listed(`${range}&complete=true`, limit)).toEqual(idsOf(within.filter(({ complete }) => complete)))
    expect(await listed(`${range}&complete=false`, limit)).toEqual(idsOf(within.filter(({ complete }) => !complete)))
  }
  expect(await listed(`placedFrom=${second(5)}`)).toEqual(idsOf(orders.filter(({ placed }) => placed >= 5)))
  expect(await listed(`placedTo=${second(1)}&shipFrom=${day(1)}`)).toEqual(
    idsOf(orders.filter(({ placed, shipDate }) => placed < 1 && shipDate)),
  )
})

test('a range that ends before it starts is rejected, and so is the cursor of another sort', async () => {
  const query = `placedFrom=${second(2)}&placedTo=${second(1)}&shipFrom=${day(2)}&shipTo=${day(1)}`
  const { status, body } = await alice.get(`/store/orders?${query}`)
  expect([status, body.errors]).toEqual([
    400,
    [
      { in: 'query', path: '/placedFrom', message: 'must not be after placedTo' },
      { in: 'query', path: '/shipFrom', message: 'must not be after shipTo' },
    ],
  ])
  const { headers } = await alice.get('/store/orders?sort=shipDate&limit=1')
  const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1]
  for (const other of ['sort=-shipDate', 'sort=id', `placedFrom=${second(0)}`]) {
    expect((await alice.get(`/store/orders?${other}&cursor=${cursor}`)).body.code).toBe('invalid_cursor')
  }
})

test('a filter on the time of placing, at either end, sorts by time, which has an index, unless only open orders are listed', () => {
  expect(sortFor('-id', {})).toBe('-id')
  expect(sortFor('-id', { placedFrom: 1 })).toBe('-placed')
  expect(sortFor('id', { placedTo: 1 })).toBe('placed')
  expect(sortFor('-id', { placedFrom: 1, complete: true })).toBe('-placed')
  expect(sortFor('id', { placedTo: 1, complete: false })).toBe('id')
})

test('a sort by the time of placing is rejected, with the sort that gives it', async () => {
  const { status, body } = await staff.get('/store/orders?sort=-placedAt')
  expect([status, body.errors]).toEqual([
    400,
    [
      {
        in: 'query',
        path: '/sort',
        message: 'must be one of id, -id, shipDate, -shipDate; ids are in the order of placing',
      },
    ],
  ])
})
