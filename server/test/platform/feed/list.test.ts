import { afterAll, expect, test } from 'bun:test'
import { pruneEvents } from '../../../src/platform/events/prune.ts'
import { dayMs } from '../../../src/platform/lib/time.ts'
import { type Client, longAgo, startService, testClock } from '../../harness/service.ts'
import { latest, linkOf, poll, type Seen } from './reader.ts'

const service = await startService()
const admin = service.admin
afterAll(() => service.stop())

const types = (seen: readonly Seen[]) => seen.map(({ type }) => type)

test('events come oldest first, each once, page by page, and the last page has a link to poll', async () => {
  const after = await latest(admin)
  const names = Array.from({ length: 45 }, (_, index) => `Category ${index}`)
  for (const name of names) await admin.newCategory(name)
  const seen = await poll(admin, `/events?after=${after}&limit=10&type=category.created`, (seen) => seen.length >= 45)
  expect(seen.map(({ data }) => data.name)).toEqual(names)
  expect(new Set(seen.map(({ id }) => id)).size).toBe(45)
  const last = await admin.get(`/events?after=${seen.at(-1)?.id}&type=category.*`)
  expect([last.body, linkOf(last.headers).rel]).toEqual([[], 'monitor'])
  expect(linkOf(last.headers).path).toContain('type=category.*')
})

test('the link to poll is about what comes after the last page, also where types are patterns', async () => {
  const after = await latest(admin)
  for (let count = 0; count < 3; count++) await admin.newCategory(`Polled ${count}`)
  const first = await admin.get(`/events?after=${after}&limit=2&type=category.*`)
  const second = await admin.get(linkOf(first.headers).path)
  const { rel, path } = linkOf(second.headers)
  expect([first.body.length, second.body.length, rel]).toEqual([2, 1, 'monitor'])
  expect((await admin.get(path)).body).toEqual([])
})

test('without `after`, the list starts with the oldest event that is kept', async () => {
  const { body } = await admin.get('/events?limit=1')
  expect(body).toMatchObject([{ type: 'key.created', data: { name: 'First administrator' } }])
})

test('types can be repeated, and given by resource', async () => {
  const after = await latest(admin)
  const petId = await admin.newPet(3)
  await admin.post('/store/orders', { petId })
  const all = await poll(
    admin,
    `/events?after=${after}`,
    (seen) => types(seen).includes('order.placed') && seen.length >= 7,
  )
  expect(types(all)).toEqual([
    'category.created',
    'pet.created',
    'inventory.changed',
    'inventory.changed',
    'order.placed',
    'inventory.changed',
    'inventory.low',
  ])
  const some = (query: string) => admin.get(`/events?after=${after}&${query}`).then(({ body }) => types(body))
  expect(await some('type=order.*&type=category.created')).toEqual(['category.created', 'order.placed'])
  expect(await some('type=order.*,pet.*')).toEqual(['pet.created', 'order.placed'])
  expect(await some('type=*')).toEqual(types(all))
  expect((await admin.get('/events?type=nope')).status).toBe(400)
  // Sent to webhooks, never logged.
  expect(await some('type=webhook.ping')).toEqual([])
})

test('a key sees what its scopes allow, and only its own orders', async () => {
  const [alice, bob] = [await service.newClient(), await service.newClient()]
  const withoutAccess = await service.newClient({ scopes: ['webhooks:manage'] })
  const stock = await service.newClient({ scopes: ['inventory:read'] })
  const staff = await service.newClient({ scopes: ['orders:read', 'orders:all'] })
  const after = await latest(admin)
  const petId = await admin.newPet(9)
  const { body: order } = await alice.post('/store/orders', { petId })
  const { body: otherOrder } = await bob.post('/store/orders', { petId })
  await admin.post('/keys', { name: 'Carol', plan: 'free', preset: 'reader' })
  await poll(admin, `/events?after=${after}`, (seen) => types(seen).includes('key.created'))

  const seenBy = async (client: Client): Promise<Seen[]> => (await client.get(`/events?after=${after}&limit=100`)).body
  const shop = ['category.created', 'pet.created', ...Array.from({ length: 4 }, () => 'inventory.changed')]
  expect(types(await seenBy(alice)).toSorted()).toEqual([...shop, 'order.placed'].toSorted())
  expect((await seenBy(alice)).find(({ type }) => type === 'order.placed')?.data).toEqual(order)
  expect(types(await seenBy(bob)).toSorted()).toEqual([...shop, 'order.placed'].toSorted())
  expect((await seenBy(bob)).find(({ type }) => type === 'order.placed')?.data).toEqual(otherOrder)
  expect(types(await seenBy(staff))).toEqual(['order.placed', 'order.placed'])
  expect(new Set(types(await seenBy(stock)))).toEqual(new Set(['inventory.changed']))
  expect(await seenBy(withoutAccess)).toEqual([])
  expect(types(await seenBy(admin))).toContain('key.created')
  expect((await alice.get(`/events?after=${after}&type=key.*`)).body).toEqual([])
})

test('a page reads a bounded number of events, even if a filter matches none of them', async () => {
  const client = await service.newClient()
  const after = await latest(admin)
  await service.context.db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
       SELECT (SELECT max(tx) FROM events), 'key.updated', '{}', i FROM n`,
    ),
  )
  const petId = await admin.newPet(2)
  await client.post('/store/orders', { petId })
  const pages: string[][] = []
  for (let path = `/events?after=${after}&type=order.*&limit=5`; !pages.at(-1)?.length; ) {
    const { body, headers } = await client.get(path)
    pages.push(types(body))
    path = linkOf(headers).path
  }
  // 2,500 events are read for a page.
  expect(pages).toEqual([[], [], ['order.placed']])
})

test('a full page links to a next one only if the key may see another event', async () => {
  const reader = await service.newClient({ preset: 'reader' })
  const after = await latest(admin)
  for (const name of ['One', 'Two']) await admin.newCategory(name)
  await service.newClient()
  const { body, headers } = await reader.get(`/events?after=${after}&limit=2`)
  expect([types(body), linkOf(headers).rel]).toEqual([['category.created', 'category.created'], 'monitor'])
  // The next poll starts after the event that it may not see.
  expect(linkOf(headers).path).toEndWith(`after=${await latest(admin)}`)
})

test('an invalid event id is rejected, and so is one that this timeline does not have', async () => {
  for (const after of ['nope', 'evt_1', 'evt_zzzzzzzzzzz_1', 'WyJpZCJd']) {
    const { status, body } = await admin.get(`/events?after=${after}`)
    expect([after, status, body.code]).toEqual([after, 400, 'invalid_cursor'])
  }
  const ahead = `evt_${(2 ** 52).toString(36)}_1`
  for (const path of [`/events?after=${ahead}`, `/events/stream?after=${ahead}`]) {
    const { status, body } = await admin.get(path)
    expect([path, status, body.code]).toEqual([path, 410, 'events_pruned'])
    expect(body.message).toContain('lost')
  }
})

test('old events are pruned in batches, and a reader that missed them gets an error', async () => {
  const own = await startService({ clock: testClock(longAgo) })
  try {
    const { db } = own.context
    await db.transaction((tx) =>
      tx.query(
        `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3500)
         SELECT tx, type, data, at FROM n CROSS JOIN (SELECT * FROM events LIMIT 1) AS first`,
      ),
    )
    own.clock.advance(2 * dayMs)
    await own.admin.newCategory('Kept')
    const oldest = await poll(own.admin, '/events?limit=1', (seen) => seen.length > 0)
    let transactions = 0
    const counting = {
      ...db,
      transaction: <T>(work: Parameters<typeof db.transaction<T>>[0]) => {
        transactions++
        return db.transaction(work)
      },
    }
    const keptFrom = own.clock.now() - dayMs
    const kept = async () => (await db.query<{ count: number }>('SELECT count(*) AS count FROM events'))[0]?.count
    // Pruning waits until no running transaction of any database on this server can still write before them.
    while ((await kept()) !== 1) await pruneEvents(counting, { now: own.clock.now(), before: keptFrom })
    expect(transactions).toBeGreaterThanOrEqual(4)
    const missed = await own.admin.get(`/events?after=${oldest[0]?.id}`)
    expect([missed.status, missed.body.code]).toEqual([410, 'events_pruned'])
    const stream = await own.admin.get('/events/stream', { 'Last-Event-ID': oldest[0]?.id ?? '' })
    expect([stream.status, stream.body.code]).toEqual([410, 'events_pruned'])
    const rest = await poll(own.admin, '/events', (seen) => seen.length > 0)
    expect(rest).toMatchObject([{ type: 'category.created', data: { name: 'Kept' } }])
    expect((await own.admin.get(`/events?from=${new Date(longAgo).toISOString()}`)).body).toEqual(rest)
    const all = { now: own.clock.now(), before: own.clock.now() + dayMs }
    while ((await kept()) !== 0) await pruneEvents(db, all)
    expect((await own.admin.get(`/events?after=${rest[0]?.id}`)).body).toEqual([])
    // The next event comes after all of them.
    await own.admin.newCategory()
    expect(types(await poll(own.admin, `/events?after=${rest[0]?.id}`, (seen) => seen.length > 0))).toEqual([
      'category.created',
    ])
  } finally {
    await own.stop()
  }
})
