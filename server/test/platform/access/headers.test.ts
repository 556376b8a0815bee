import { afterAll, expect, test } from 'bun:test'
import { burstMs, flood, retryAfter, windowIn } from '../../harness/flood.ts'
import { type ApiResponse, type Client, startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

type Member = { name: string; parameters: Record<string, number> }

/** Parses an RFC 9651 list of strings with integer parameters, strictly. */
function parseStructuredList(text: string | null): Member[] {
  const member = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]*)"((?:;[a-z*][a-z0-9_.*-]*=-?\d{1,15})*)$/
  return (text ?? '').split(/[ \t]*,[ \t]*/).map((part) => {
    const [, name, parameters] = member.exec(part) ?? []
    if (name === undefined || parameters === undefined) throw new Error(`not a structured list: ${text}`)
    const pairs = parameters.split(';').slice(1)
    return {
      name,
      parameters: Object.fromEntries(pairs.map((pair) => [pair.split('=')[0], Number(pair.split('=')[1])])),
    }
  })
}

/** Checks the headers of any response: correct numbers, and all headers consistent. */
function checkHeaders(response: ApiResponse): void {
  const now = service.clock.now()
  const { limit, remaining, reset } = windowIn(response)
  const policy = parseStructuredList(response.headers.get('ratelimit-policy'))
  const left = parseStructuredList(response.headers.get('ratelimit'))
  expect(policy.map(({ name, parameters }) => [name, parameters.w])).toEqual([
    ['minute', 60],
    ['day', 86_400],
  ])
  expect(left.map(({ name }) => name)).toEqual(['minute', 'day'])
  const windows = left.map(({ parameters }, index) => ({
    limit: policy[index]?.parameters.q,
    remaining: parameters.r ?? Number.NaN,
    reset: Math.ceil(now / 1000) + (parameters.t ?? Number.NaN) - (now % 1000 === 0 ? 0 : 1),
    endsInSeconds: parameters.t ?? Number.NaN,
  }))
  const [minute, day] = windows as [(typeof windows)[0], (typeof windows)[0]]
  for (const window of windows) {
    expect(window.remaining).toBeGreaterThanOrEqual(0)
    expect(window.endsInSeconds).toBeGreaterThan(0)
  }
  expect(day.endsInSeconds).toBe(Math.ceil((86_400_000 - (now % 86_400_000)) / 1000))
  const tightest = minute.remaining < day.remaining ? minute : day
  expect({ limit, remaining, reset }).toEqual({
    limit: Number(tightest.limit),
    remaining: tightest.remaining,
    reset: Math.ceil((now + tightest.endsInSeconds * 1000 - 999) / 1000),
  })
  expect(reset * 1000).toBeGreaterThan(now)
}

async function everyKindOfResponse(client: Client): Promise<[string, ApiResponse][]> {
  const id = await service.admin.newPet()
  const etag = (await client.get(`/pets/${id}`)).headers.get('etag') ?? ''
  return [
    ['200', await client.get('/pets')],
    ['200', await client.send('HEAD', '/pets')],
    ['304', await client.get(`/pets/${id}`, { 'If-None-Match': etag })],
    ['400', await client.get('/pets?limit=x')],
    ['403', await client.post('/pets', { name: 'Rex', categoryId: 1 })],
    ['404', await client.get('/pets/987654321')],
    ['404', await client.get('/no/such/path')],
    ['405', await client.send('DELETE', '/pets')],
    ['406', await client.get('/pets', { Accept: 'text/html' })],
    ['415', await client.post('/store/orders', '{}', { 'Content-Type': 'text/plain' })],
    ['422', await client.post('/store/orders', { petId: 987654321 })],
    ['431', await client.get('/pets', { 'X-Long': 'x'.repeat(20_000) })],
    ['401', await service.as(undefined).get('/pets')],
    ['401', await service.as('wrong').get('/pets')],
    ['404', await service.as(undefined).get('/no/such/path')],
    ['405', await service.as(undefined).send('DELETE', '/pets')],
    ['400', await service.as('a').get('/pets', { Authorization: 'Bearer b' })],
  ]
}

test('the headers of every response are correct, whatever its status', async () => {
  for (const [index, ms] of [0, 1, 30_000, 59_000, 59_999].entries()) {
    service.clock.set(Date.UTC(2026, 11, 1 + index, 12, 30) + ms)
    const client = await service.newClient({ plan: 'free' })
    for (const [status, response] of await everyKindOfResponse(client)) {
      expect(String(response.status)).toBe(status)
      checkHeaders(response)
    }
  }
})

test('so are those of rejected clients and of GET /limits', async () => {
  service.clock.set(Date.UTC(2026, 11, 10, 23, 59, 10, 250))
  const client = await service.newClient({ plan: 'free' })
  for (const response of await flood(client, 95)) checkHeaders(response)
  for (const response of await flood(client, 61, 8, '/limits')) checkHeaders(response)
})

test('the headers show the window with less left; if equal, the one that resets later', async () => {
  service.clock.set(Date.UTC(2026, 11, 12, 12))
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 10, perDay: 15 } })
  const readWindow = async () => windowIn(await client.get('/pets'))
  const midnight = Date.UTC(2026, 11, 13) / 1000
  expect(await readWindow()).toEqual({ limit: 10, remaining: 9, reset: Date.UTC(2026, 11, 12, 12, 1) / 1000 })
  for (let call = 0; call < 4; call++) await client.get('/pets')
  service.clock.advance(60_000)
  expect(await readWindow()).toEqual({ limit: 15, remaining: 9, reset: midnight })
  expect(await readWindow()).toEqual({ limit: 15, remaining: 8, reset: midnight })
})

test('a failed key lookup still shows what is left, and costs nothing', async () => {
  service.clock.set(Date.UTC(2026, 11, 14, 12))
  const { secret } = await service.newClient({ plan: 'free' })
  const { db, directory } = service.context
  await db.transaction((tx) => tx.query('ALTER TABLE api_key_secrets RENAME TO api_key_secrets_away'))
  directory.forgetAll()
  const failed = await service.as(secret).get('/pets')
  await db.transaction((tx) => tx.query('ALTER TABLE api_key_secrets_away RENAME TO api_key_secrets'))
  expect(failed.body.code).toBe('internal_error')
  checkHeaders(failed)
  const served = await service.as(secret).get('/pets')
  expect([served.status, windowIn(served).remaining]).toEqual([200, 59])
})

test('if a ban cannot be stored, the request is rejected for its limit', async () => {
  service.clock.set(Date.UTC(2026, 11, 15, 12))
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 61)
  service.clock.advance(burstMs)
  await flood(client, 30)
  const { db } = service.context
  await db.transaction((tx) => tx.query('ALTER TABLE bans RENAME TO bans_away'))
  const rejected = await client.get('/pets')
  await db.transaction((tx) => tx.query('ALTER TABLE bans_away RENAME TO bans'))
  expect([rejected.body.code, retryAfter(rejected)]).toEqual(['rate_limited', 58])
  expect((await client.get('/pets')).body.code).toBe('key_banned')
})
