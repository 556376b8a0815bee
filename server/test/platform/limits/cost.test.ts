import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../harness/eventually.ts'
import { burstMs, retryAfter, windowIn } from '../../harness/flood.ts'
import { type Client, startService } from '../../harness/service.ts'

// A batch of n items costs n requests, or one if it is rejected.

const service = await startService()
const categoryId = await service.admin.newCategory()
afterAll(() => service.stop())

const newClient = (perMinute: number, perDay = 100_000): Promise<Client> =>
  service.newClient({ plan: 'enterprise', limits: { perMinute, perDay }, preset: 'staff' })
const batch = (client: Client, count: number, headers = {}) =>
  client.post(
    '/pets/batch',
    Array.from({ length: count }, () => ({ name: 'Rex', categoryId })),
    headers,
  )
const remaining = async (client: Client) =>
  (await client.get('/limits')).body.windows.map((window: { remaining: number }) => window.remaining)

test('a batch uses as many requests as it has items in both windows, and its headers show it', async () => {
  const client = await newClient(100)
  expect(windowIn(await batch(client, 40)).remaining).toBe(60)
  expect(windowIn(await batch(client, 1)).remaining).toBe(59)
  expect(windowIn(await batch(client, 59)).remaining).toBe(0)
  expect(await remaining(client)).toEqual([0, 99_900])
})

test('a batch that does not fit is rejected as a whole, and costs one request', async () => {
  const client = await newClient(50)
  await batch(client, 30)
  const rejected = await batch(client, 21)
  expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
  expect(rejected.body.message).toContain('20 more requests, and 19 are left in this minute. Nothing was done.')
  expect(retryAfter(rejected)).toBe(60)
  expect(windowIn(rejected).remaining).toBe(19)
  expect((await batch(client, 19)).status).toBe(201)
  service.clock.advance(60_000)
  expect((await batch(client, 21)).status).toBe(201)

  const daily = await newClient(1_000, 50)
  await batch(daily, 30)
  expect((await batch(daily, 21)).body.code).toBe('quota_exhausted')
})

test('a batch whose body takes until the next minute counts in that one', async () => {
  const client = await newClient(10)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const send = (text: string) => writer.write(new TextEncoder().encode(text))
  const responding = fetch(`${service.url}/pets/batch`, {
    method: 'POST',
    headers: { 'X-API-Key': client.secret ?? '', 'Content-Type': 'application/json' },
    body: readable,
  })
  await send('[')
  await eventually(async () => (await remaining(client))[0] === 9)
  service.clock.advance(60_000)
  for (let count = 0; count < 6; count++) expect((await client.get('/pets?limit=1')).status).toBe(200)
  await send(`${Array.from({ length: 8 }, () => `{"name":"Rex","categoryId":${categoryId}}`).join()}]`)
  await writer.close()
  const response = await responding
  expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([429, '4'])
})

test('a batch larger than the limit is invalid, and an invalid one costs one request', async () => {
  const client = await newClient(10)
  const tooLarge = await batch(client, 11)
  expect([tooLarge.status, tooLarge.body.errors[0].message]).toEqual([
    400,
    "must have at most 10 items: each counts as a request, and this key's limits never allow more at once",
  ])
  expect((await batch(client, 0)).status).toBe(400)
  expect(windowIn(await batch(client, 8)).remaining).toBe(0)
})

test('concurrent batches never exceed the limit, and each is done as a whole or not at all', async () => {
  const petsNow = async () =>
    (await service.context.db.query<{ count: number }>('SELECT count(*) AS count FROM pets'))[0]?.count ?? 0
  const { client, done, created } = await eventually(async () => {
    const client = await newClient(60)
    const before = await petsNow()
    const responses = await Promise.all(Array.from({ length: 25 }, () => batch(client, 7)))
    const done = responses.filter(({ status }) => status === 201)
    const created = (await petsNow()) - before
    // What a busy service rejected may have been paid for: then it is another client's turn.
    return responses.every(({ status }) => status !== 503) && { client, done, created }
  })
  expect(created).toBe(7 * done.length)
  const [left = 0] = await remaining(client)
  // A batch is rejected only if there is no room for it.
  expect(left).toBeLessThan(6)
  // A rejected batch cost one request or, once none was left, nothing.
  const paid = 7 * done.length
  expect(60 - left - paid).toBe(Math.min(25 - done.length, 60 - paid))
})

test('a rejected batch is one strike, and too many of them ban the key', async () => {
  const client = await newClient(60)
  await batch(client, 20)
  expect((await batch(client, 60)).body.code).toBe('rate_limited')
  service.clock.advance(burstMs)
  const codes: string[] = []
  for (let sent = 0; sent < 31; sent++) codes.push((await batch(client, 60)).body.code)
  expect(codes.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 'rate_limited'))
  expect(codes[30]).toBe('key_banned')
})

test('usage counts a batch by its items; a rejected one by its one request and as limited', async () => {
  const client = await newClient(60)
  await batch(client, 40)
  await batch(client, 30)
  const { body } = await client.get('/usage?per=hour')
  expect(body.at(-1)).toMatchObject({ allowed: 41, limited: 1, errors: 0 })
})

test('the cost of a batch survives a restart', async () => {
  const client = await newClient(200)
  await batch(client, 70)
  await service.restart()
  const used = 200 - windowIn(await client.get('/pets?limit=1')).remaining
  expect(used).toBe(71)
})
