import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../harness/eventually.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'
import { linkOf, type Seen } from './reader.ts'

let service: Service
let admin: Client
let began: number
const names = Array.from({ length: 24 }, (_, index) => `Category ${index}`)

// A category every ten minutes.
beforeAll(async () => {
  service = await startService()
  admin = service.admin
  began = service.clock.now()
  for (const name of names) {
    await admin.newCategory(name)
    service.clock.advance(600_000)
  }
  // On PostgreSQL any older transaction may delay them.
  await eventually(async () => (await admin.get('/events?sort=-id&limit=1')).body[0]?.data.name === names.at(-1))
})
afterAll(() => service.stop())

const type = 'type=category.created'
const namesOf = (seen: readonly Seen[]) => seen.map(({ data }) => data.name)
const timeOf = (index: number) => new Date(began + index * 600_000).toISOString()

/** All pages from a path on, until one has no next page. */
async function allPages(client: Client, path: string): Promise<{ seen: Seen[]; rel: string | undefined }> {
  const seen: Seen[] = []
  for (let at = path; ; ) {
    const { status, body, headers } = await client.get(at)
    expect(status).toBe(200)
    seen.push(...body)
    const link = headers.has('link') ? linkOf(headers) : undefined
    if (link?.rel !== 'next') return { seen, rel: link?.rel }
    at = link.path
  }
}

test('newest first, each event once, page by page, to the oldest', async () => {
  const { seen, rel } = await allPages(admin, `/events?sort=-id&limit=5&${type}`)
  expect(namesOf(seen)).toEqual(names.toReversed())
  expect(rel).toBeUndefined()
  const { seen: all } = await allPages(admin, '/events?limit=100')
  const { seen: back } = await allPages(admin, '/events?sort=-id&limit=7')
  expect(back).toEqual(all.toReversed())
})

test('new events do not disturb who looks back, and `after` continues before an event', async () => {
  const first = await admin.get(`/events?sort=-id&limit=3&${type}`)
  const categoryId = await admin.newCategory('Meanwhile')
  const { seen } = await allPages(admin, linkOf(first.headers).path)
  expect(namesOf([...first.body, ...seen])).toEqual(names.toReversed())
  const newest = await admin.get(`/events?sort=-id&after=latest&limit=1&${type}`)
  const isThere = ['Meanwhile', names.at(-1)].includes(newest.body[0]?.data.name)
  expect(isThere).toBeTrue()
  await admin.delete(`/categories/${categoryId}`)
  expect((await admin.get('/events?sort=-id&after=nope')).body.code).toBe('invalid_cursor')
})

test('a next page is linked by `cursor`, which belongs to its list; a later poll by `after`', async () => {
  const first = await admin.get(`/events?limit=5&after=latest&${type}`)
  expect(linkOf(first.headers).path).toMatch(/\?limit=5&type=category\.created&after=evt_\w+$/)
  const start = (await admin.get(`/events?limit=1&${type}`)).body[0]?.id
  const page = await admin.get(`/events?limit=5&after=${start}&${type}`)
  const { rel, path } = linkOf(page.headers)
  expect([rel, path]).toEqual(['next', expect.stringMatching(/^\/events\?limit=5&type=category\.created&cursor=\w+$/)])
  // Clients that add the cursor to the query they began with go on as well.
  const both = await admin.get(`${path}&after=${start}`)
  expect(both.body).toEqual((await admin.get(path)).body)
  expect(namesOf(both.body)).toEqual(names.slice(6, 11))
  for (const other of [path.replace('created', 'deleted'), `${path}&sort=-id`, `${path}x`]) {
    expect((await admin.get(other)).body.code).toBe('invalid_cursor')
  }
})

test('a time range includes its start and excludes its end, in either order', async () => {
  const range = `from=${timeOf(6)}&to=${timeOf(12)}&${type}&limit=4`
  const wanted = names.slice(6, 12)
  const forwards = await allPages(admin, `/events?${range}`)
  expect([namesOf(forwards.seen), forwards.rel]).toEqual([wanted, undefined])
  const backwards = await allPages(admin, `/events?${range}&sort=-id`)
  expect([namesOf(backwards.seen), backwards.rel]).toEqual([wanted.toReversed(), undefined])
  expect(namesOf((await allPages(admin, `/events?to=${timeOf(2)}&${type}`)).seen)).toEqual(names.slice(0, 2))
  const recent = await allPages(admin, `/events?from=${timeOf(20)}&${type}`)
  expect(namesOf(recent.seen).slice(0, 4)).toEqual(names.slice(20))
  // The range has no end, so there may be more later.
  expect(recent.rel).toBe('monitor')
  const { status, body } = await admin.get(`/events?from=${timeOf(2)}&to=${timeOf(1)}`)
  expect([status, body.code]).toEqual([400, 'validation_failed'])
})

test('a range has all its events, although their times are out of order by seconds', async () => {
  // Long after the others, recorded by transactions that began in another order.
  const base = began + 25 * 3_600_000
  const seconds = [40, ...Array(40).fill(10), 50, 20]
  for (const second of seconds) {
    await service.context.db.transaction((tx) =>
      tx.query(
        `INSERT INTO events (tx, type, data, at) SELECT max(tx), 'category.deleted', '{"id":1,"name":"${second}"}', ${base + second * 1_000} FROM events`,
      ),
    )
  }
  const at = (second: number) => new Date(base + second * 1_000).toISOString()
  const range = `from=${at(15)}&to=${at(45)}&type=category.deleted`
  expect(namesOf((await allPages(admin, `/events?${range}`)).seen)).toEqual(['40', '20'])
  expect(namesOf((await allPages(admin, `/events?${range}&sort=-id`)).seen)).toEqual(['20', '40'])
})

test('a range without events is empty', async () => {
  for (const sort of ['id', '-id']) {
    const before = await allPages(admin, `/events?to=${new Date(began - 86_400_000).toISOString()}&sort=${sort}`)
    expect(before).toEqual({ seen: [], rel: undefined })
  }
})

test('looking back shows what a key may see, and reads a bounded number of events for it', async () => {
  await service.context.db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
       SELECT (SELECT max(tx) FROM events), 'key.updated', '{}', ${service.clock.now()} FROM n`,
    ),
  )
  const client = await service.newClient()
  const first = await eventually(async () => {
    const response = await client.get('/events?sort=-id&limit=2')
    return response.body.length === 0 && response
  })
  expect(linkOf(first.headers).rel).toBe('next')
  const { seen } = await allPages(client, `/events?sort=-id&limit=100&type=category.created,key.*`)
  expect(namesOf(seen).slice(-names.length)).toEqual(names.toReversed())
})
