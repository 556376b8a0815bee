import { afterAll, beforeAll, expect, test } from 'bun:test'
import { repairGaps } from '../../../src/commands/gaps.ts'
import { dayMs, hourMs } from '../../../src/platform/lib/time.ts'
import { addUpShopCounts, findCounts, forgetOldCounts } from '../../../src/shop/summary/counts.ts'
import { recordHour } from '../../../src/shop/summary/hours.ts'
import { eventually } from '../../harness/eventually.ts'
import { getBanned } from '../../harness/flood.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'
import { watchStatements } from '../../harness/visited-rows.ts'
import { waitingForLocks } from '../../harness/waiting-for-locks.ts'
import { startReceiver } from '../../platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../../platform/webhooks/shop.ts'

let service: Service
let staff: Client
beforeAll(async () => {
  service = await startService()
  staff = await service.newClient({ preset: 'staff' })
})
afterAll(() => service.stop())

const summary = async (query = '') => (await staff.get(`/store/summary${query}`)).body
const quiet = { placed: 0, completed: 0, cancelled: 0, unitsSold: 0 }
const hourOf = (time: number) => new Date(time - (time % hourMs)).toISOString()

/** The same figures before and after the changes are added up. */
async function settled(query = '') {
  const before = await summary(query)
  await addUpShopCounts(service.context.db)
  const after = await summary(query)
  expect(after).toEqual(before)
  return after
}

test('orders are counted in the hour in which they were placed, completed or cancelled', async () => {
  const petId = await staff.newPet(20)
  const place = async (more = {}) => (await staff.post('/store/orders', { petId, quantity: 2, ...more })).body.id
  const [first, second] = [await place(), await place()]
  await place({ complete: true })
  service.clock.advance(hourMs)
  await staff.patch(`/store/orders/${first}`, { quantity: 5, complete: true })
  await staff.delete(`/store/orders/${second}`)
  await place()
  const { openOrders, hours } = await settled('?hours=3')
  expect(openOrders).toBe(1)
  const now = service.clock.now()
  expect(hours).toEqual([
    { from: hourOf(now - 2 * hourMs), ...quiet },
    { from: hourOf(now - hourMs), placed: 3, completed: 1, cancelled: 0, unitsSold: 2 },
    { from: hourOf(now), placed: 1, completed: 1, cancelled: 1, unitsSold: 5 },
  ])
  expect((await summary()).hours).toHaveLength(24)
  expect((await summary('?hours=1')).hours).toEqual(hours.slice(2))
  service.clock.advance(hourMs)
  expect((await summary('?hours=1')).hours).toEqual([{ from: hourOf(service.clock.now()), ...quiet }])
})

test('pets are counted by status and by how many are left', async () => {
  const before = await settled()
  const levels = [0, 1, 2, 3, 50]
  const ids: number[] = []
  for (const level of levels) ids.push(await staff.newPet(level))
  const change = async () => {
    const { petsByStatus, lowStock, outOfStock } = await settled()
    return {
      available: petsByStatus.available - before.petsByStatus.available,
      sold: petsByStatus.sold - before.petsByStatus.sold,
      lowStock: lowStock - before.lowStock,
      outOfStock: outOfStock - before.outOfStock,
    }
  }
  expect(await change()).toEqual({ available: 4, sold: 1, lowStock: 3, outOfStock: 1 })
  const [, one, , three, many] = ids
  // Down a level, up a level, and an inventory item that is removed.
  await staff.put(`/store/inventory/${three}`, { quantity: 2 })
  await staff.put(`/store/inventory/${one}`, { quantity: 9 })
  await staff.delete(`/store/inventory/${many}`)
  expect(await change()).toEqual({ available: 3, sold: 2, lowStock: 4, outOfStock: 2 })
  for (const id of ids) await staff.delete(`/pets/${id}`)
  expect(await change()).toEqual({ available: 0, sold: 0, lowStock: 0, outOfStock: 0 })
})

test('a new shop is all zeros, and a key without orders:all gets no summary', async () => {
  const empty = await startService()
  try {
    const { body } = await empty.admin.get('/store/summary?hours=1')
    const now = hourOf(empty.clock.now())
    const petsByStatus = { available: 0, pending: 0, sold: 0 }
    const nothingToDo = { bannedKeys: [], failingWebhooks: [] }
    expect(body).toEqual({
      openOrders: 0,
      hours: [{ from: now, ...quiet }],
      petsByStatus,
      lowStockMax: 2,
      lowStock: 0,
      outOfStock: 0,
      ...nothingToDo,
    })
    const client = await empty.newClient()
    expect((await client.get('/store/summary')).body.code).toBe('insufficient_scope')
    for (const hours of ['0', '169', 'x'])
      expect((await empty.admin.get(`/store/summary?hours=${hours}`)).status).toBe(400)
  } finally {
    await empty.stop()
  }
})

test('hours are kept for 90 days, and wrong counts are found and repaired', async () => {
  const { db } = service.context
  await addUpShopCounts(db)
  const before = await summary()
  await db.transaction((tx) => tx.query('UPDATE shop_counts SET open_orders = open_orders + 3 WHERE starts_at = -1'))
  expect((await summary()).openOrders).toBe(before.openOrders + 3)
  expect(await repairGaps(db, service.clock.now())).toEqual(['1 wrong counts of open orders or stock'])
  expect(await summary()).toEqual(before)

  const countHours = async () =>
    (await db.query<{ hours: number }>('SELECT count(*) AS hours FROM shop_counts WHERE starts_at >= 0'))[0]?.hours
  const kept = await countHours()
  expect(kept).toBeGreaterThan(0)
  await forgetOldCounts(db, service.clock.now() + 89 * dayMs)
  expect(await countHours()).toBe(kept)
  await forgetOldCounts(db, service.clock.now() + 91 * dayMs)
  // PostgreSQL deletes by its own clock, which is earlier than the one of this test.
  if (db.dialect.engine === 'sqlite') expect(await countHours()).toBe(0)
  expect((await summary()).openOrders).toBe(before.openOrders)
})

test('any number of changes is added up in one run', async () => {
  const { db } = service.context
  const before = await summary('?hours=1')
  const hour = service.clock.now() - (service.clock.now() % hourMs)
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO shop_count_changes (starts_at, placed) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5200)
       SELECT ${hour}, 1 FROM n`,
    ),
  )
  await addUpShopCounts(waitingForLocks(db))
  expect(await db.query('SELECT id FROM shop_count_changes LIMIT 1')).toEqual([])
  expect((await summary('?hours=1')).hours[0].placed).toBe(before.hours[0].placed + 5_200)
})

test('it reads the counts only, by their key, whatever the size of the shop', async () => {
  const { db } = service.context
  const plans: string[] = []
  const explain = { sqlite: 'EXPLAIN QUERY PLAN', postgres: 'EXPLAIN' }[db.dialect.engine]
  await watchStatements(
    db,
    (watched) => findCounts(watched, 0),
    async (sql, params) => {
      const lines = await db.query<object>(`${explain} ${sql}`, params)
      plans.push(lines.map((line) => Object.values(line).join(' ')).join('\n'))
    },
  )
  expect(plans).toHaveLength(1)
  expect(plans[0]).not.toMatch(/(SCAN|Scan on|on) (orders|order_history|inventory|pets)\b/)
  expect(plans[0]).not.toMatch(/SCAN (shop|pet)_counts/)
})

test('there is a comparison with the day before once that was recorded', async () => {
  const shop = await startService()
  try {
    const [low] = [await shop.admin.newPet(1), await shop.admin.newPet(5)]
    await shop.admin.post('/store/orders', { petId: low })
    const read = async () => (await shop.admin.get('/store/summary')).body
    await recordHour(shop.context.db, shop.clock.now())
    // Whatever happens later in the hour, it began like this.
    await shop.admin.newPet(5)
    await recordHour(shop.context.db, shop.clock.now() + 1)
    expect((await read()).dayBefore).toBeUndefined()
    shop.clock.advance(dayMs)
    expect((await read()).dayBefore).toEqual({ openOrders: 1, available: 1, lowStock: 1 })
    shop.clock.advance(hourMs)
    expect((await read()).dayBefore).toBeUndefined()
  } finally {
    await shop.stop()
  }
})

test('days are of 24 hours up to the current one, and are compared with as many before, once these were recorded', async () => {
  const shop = await startService()
  try {
    const petId = await shop.admin.newPet(100)
    const read = async (days: number) => (await shop.admin.get(`/store/summary?hours=1&days=${days}`)).body
    const sell = (quantity: number) => shop.admin.post('/store/orders', { petId, quantity, complete: true })
    const record = () => recordHour(shop.context.db, shop.clock.now())
    await record()
    await sell(1)
    shop.clock.advance(dayMs)
    await shop.admin.post('/store/orders', { petId })
    await record()
    await sell(2)
    shop.clock.advance(dayMs)
    await sell(4)
    const now = shop.clock.now()
    const sold = { completed: 1, cancelled: 0 }
    const lastDay = { from: hourOf(now - dayMs + hourMs), placed: 1, ...sold, unitsSold: 4 }
    const level = { available: 1, lowStock: 0 }
    expect(await read(1)).toMatchObject({
      hours: [{ unitsSold: 4 }],
      days: [lastDay],
      daysBefore: { openOrders: 1, ...level, unitsSold: 2 },
    })
    // The start of two days is known, but not that of the two before them.
    const { days, daysBefore } = await read(2)
    expect(days).toEqual([{ from: hourOf(now - 2 * dayMs + hourMs), placed: 2, ...sold, unitsSold: 2 }, lastDay])
    expect(daysBefore).toEqual({ openOrders: 0, ...level })
    const whole = await read(30)
    expect([whole.days.length, whole.daysBefore]).toEqual([30, undefined])
    expect(whole.days.reduce((sum: number, { placed }: { placed: number }) => sum + placed, 0)).toBe(4)
    expect((await shop.admin.get('/store/summary?days=31')).status).toBe(400)
    expect((await shop.admin.get('/store/summary')).body).not.toHaveProperty('days')
  } finally {
    await shop.stop()
  }
})

test('it lists the banned keys and failing webhooks that the caller may see', async () => {
  await using receiver = await startReceiver(500)
  const shop = await startShop()
  try {
    const limits = { perMinute: 2, perDay: 1_000 }
    const noisy = await shop.newClient({ name: 'Noisy', plan: 'enterprise', limits, scopes: ['pets:read'] })
    const owner = await shop.newClient({ scopes: ['orders:all', 'webhooks:manage'] })
    // Only pings: an event from shortly before could arrive late and fail.
    const events = ['order.placed']
    const own = await newWebhook(owner, receiver.url, { events })
    const other = await newWebhook(shop.admin, receiver.url, { events })
    await newWebhook(owner, `${receiver.url}/unused`, { events })
    const read = async (client: Client) => (await client.get('/store/summary')).body
    const idsOf = (items: { id: number }[]) => items.map(({ id }) => id).sort((one, next) => one - next)
    expect(await read(shop.admin)).toMatchObject({ bannedKeys: [], failingWebhooks: [] })
    for (const { path } of [own, other]) await (path === own.path ? owner : shop.admin).post(`${path}/ping`)
    await eventually(async () => (await read(shop.admin)).failingWebhooks.length === 2)
    await getBanned(shop, noisy)
    const seen = await read(shop.admin)
    expect(idsOf(seen.failingWebhooks)).toEqual([own.id, other.id])
    // When it was last used is written a moment later, maybe between the two.
    const { lastUsedAt: _, ...banned } = (await shop.admin.get(`/keys/${noisy.keyId}`)).body
    expect(seen.bannedKeys).toEqual([expect.objectContaining(banned)])
    const seenByOwner = await read(owner)
    expect(idsOf(seenByOwner.failingWebhooks)).toEqual([own.id])
    expect(seenByOwner.bannedKeys).toBeUndefined()
    expect(Object.keys(await read(await shop.newClient({ preset: 'staff' })))).not.toContain('bannedKeys')

    // Nobody has to act on a webhook that was deactivated by hand, a ban that was lifted or a receiver that works again.
    await shop.admin.delete(`/keys/${noisy.keyId}/ban`)
    await owner.patch(own.path, { active: false })
    receiver.response = 204
    await shop.admin.post(`${other.path}/ping`)
    await eventually(async () => (await read(shop.admin)).failingWebhooks.length === 0)
    expect((await read(shop.admin)).bannedKeys).toEqual([])
  } finally {
    await shop.stop()
  }
})
