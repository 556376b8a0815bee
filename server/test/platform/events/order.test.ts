import { afterAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { eventually } from '../../harness/eventually.ts'
import { patiently } from '../../harness/patiently.ts'
import { type Service, startService, waitForLog } from '../../harness/service.ts'

// The events of one resource are in the order of its changes, whatever happens at the same time.

const service = await startService()
const { admin } = service
afterAll(() => service.stop())

interface Changed {
  readonly data: { readonly petId: number; readonly quantity: number }
  readonly previous: { readonly quantity: number }
}

/** The stock counts of a pet before and after each event about them. */
async function stockChanges({ admin, context }: Service, petId: number): Promise<[before: number, after: number][]> {
  await waitForLog(context.db)
  const changes: [number, number][] = []
  for (let path: string | undefined = '/events?type=inventory.changed&limit=100'; path !== undefined; ) {
    const { body, headers }: { body: Changed[]; headers: Headers } = await admin.get(path)
    const own = body.filter(({ data }) => data.petId === petId)
    changes.push(...own.map(({ data, previous }): [number, number] => [previous.quantity, data.quantity]))
    path = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  return changes
}

/** Expects that each change begins where the one before ended. */
function expectChain(changes: readonly [before: number, after: number][], from: number): void {
  const ends = [from, ...changes.map(([, after]) => after)]
  expect(changes.map(([before]) => before)).toEqual(ends.slice(0, -1))
}

const sixTimes = (work: () => Promise<void>): Promise<unknown> => Promise.all(Array.from({ length: 6 }, work))

test('orders that are placed, changed and cancelled at the same time', async () => {
  const petId = await admin.newPet(1_000)
  await sixTimes(async () => {
    for (let round = 0; round < 10; round++) {
      const { body: order } = await patiently(() => admin.post('/store/orders', { petId, quantity: 1 }))
      await patiently(() => admin.patch(`/store/orders/${order.id}`, { quantity: 3 }))
      await patiently(() => admin.delete(`/store/orders/${order.id}`))
    }
  })
  const changes = await stockChanges(service, petId)
  expect(changes).toHaveLength(1 + 6 * 10 * 3 + 1)
  expectChain(changes.slice(1), 1)
})

test('stock that is set and adjusted at the same time', async () => {
  const pets = await Promise.all(Array.from({ length: 5 }, () => admin.newPet(5)))
  let quantity = 100
  await sixTimes(async () => {
    for (let round = 0; round < 8; round++) {
      await admin.patch(
        '/store/inventory',
        pets.map((petId) => ({ petId, quantity: quantity++ })),
      )
      for (const petId of pets) await admin.post(`/store/inventory/${petId}/adjustments`, { delta: 1 })
    }
  })
  for (const petId of pets) expectChain((await stockChanges(service, petId)).slice(1), 1)
})

test('a change whose body arrives slowly is dated when it is made', async () => {
  const { context, clock, url, adminSecret } = service
  const [slow, quick] = [await admin.newCategory(), await admin.newCategory()]
  const rename = (id: number) => admin.patch(`/categories/${id}`, { name: crypto.randomUUID() })
  const rest = Promise.withResolvers<void>()
  async function* body() {
    yield '{"name":'
    await rest.promise
    yield '"Late"}'
  }
  const headers = { 'X-API-Key': adminSecret, 'Content-Type': 'application/json' }
  const before = context.requestLog.inFlight()
  const changed = fetch(`${url}/categories/${slow}`, { method: 'PATCH', headers, body: body() })
  await eventually(() => context.requestLog.inFlight() > before)
  const times: string[] = []
  const remember = () => times.push(new Date(clock.now()).toISOString())
  for (let minute = 0; minute < 3; minute++) {
    clock.advance(60_000)
    await rename(quick)
    remember()
  }
  clock.advance(60_000)
  rest.resolve()
  expect((await changed).status).toBe(200)
  remember()
  await waitForLog(context.db)
  const query = `type=category.updated&sort=-id&from=${times[0]}`
  const { body: events }: { body: { time: string }[] } = await admin.get(`/events?${query}`)
  expect(events.map(({ time }) => time)).toEqual(times.toReversed())
})

describe.if(process.env.TEST_ENGINE === 'postgres')('on PostgreSQL', () => {
  test('a change of many pets that waits for one of them comes before later changes of the others', async () => {
    let url = ''
    const shop = await startService({ by: async (address) => (url = address) })
    const pets = [await shop.admin.newPet(5), await shop.admin.newPet(5), await shop.admin.newPet(5)]
    const [, second, third = 0] = pets
    const sql = new SQL(url, { max: 2 })
    const countWaiting = async () =>
      (
        await sql.unsafe(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
      ).length
    let isAdjusted = false
    const { set, adjusted } = await sql.begin(async (tx) => {
      await tx.unsafe(`SELECT id FROM pets WHERE id = ${second} FOR UPDATE`)
      const set = shop.admin.patch(
        '/store/inventory',
        pets.map((petId) => ({ petId, quantity: 50 })),
      )
      await eventually(async () => (await countWaiting()) === 1)
      const adjusted = shop.admin.post(`/store/inventory/${third}/adjustments`, { delta: 1 }).then((response) => {
        isAdjusted = true
        return response
      })
      await eventually(async () => isAdjusted || (await countWaiting()) === 2)
      return { set, adjusted }
    })
    for (const { status } of [await set, await adjusted]) expect(status).toBeOneOf([200, 201])
    expect(await stockChanges(shop, third)).toEqual([
      [0, 1],
      [1, 5],
      [5, 50],
      [50, 51],
    ])
    await sql.close()
    await shop.stop()
  })
})
