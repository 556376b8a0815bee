import { afterAll, expect, test } from 'bun:test'
import { flood, getBanned, retryAfter, tally, windowIn } from '../../harness/flood.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

const at = () => service.clock.now() / 1000

test('GET /limits shows the key, its plan, its scopes and both windows, and uses no quota', async () => {
  const client = await service.newClient({ plan: 'pro' })
  const expected = (used: number) => ({
    keyId: client.keyId,
    plan: 'pro',
    scopes: ['pets:read', 'inventory:read', 'orders:read', 'orders:write', 'webhooks:manage'],
    windows: [
      { name: 'minute', limit: 300, remaining: 300 - used, reset: at() + 60 },
      { name: 'day', limit: 10_000, remaining: 10_000 - used, reset: Date.UTC(2026, 10, 16) / 1000 },
    ],
  })
  expect((await client.get('/limits')).body).toEqual(expected(0))
  await flood(client, 7)
  const responses = await flood(client, 10, 4, '/limits')
  for (const response of responses) expect(response.body).toEqual(expected(7))
  expect(windowIn(await client.get('/pets')).remaining).toBe(292)
})

test('it has a separate limit of 60 per minute, over which it is rejected without a strike', async () => {
  const client = await service.newClient({ plan: 'free' })
  const responses = await flood(client, 200, 64, '/limits')
  expect(tally(responses)).toEqual({ 200: 60, rate_limited: 140 })
  const rejected = responses.find(({ status }) => status === 429)
  expect(rejected && retryAfter(rejected)).toBe(60)
  expect((await client.get('/pets')).status).toBe(200)
  service.clock.advance(60_000)
  expect((await client.get('/limits')).body.ban).toBeUndefined()
})

test('its headers are those of the windows of the key; only its rejection is about its own limit', async () => {
  const client = await service.newClient({ plan: 'pro' })
  await flood(client, 7)
  const first = await client.get('/limits')
  expect(windowIn(first)).toEqual({ limit: 300, remaining: 293, reset: at() + 60 })
  expect(first.headers.get('ratelimit-policy')).toBe('"minute";q=300;w=60,"day";q=10000;w=86400')
  await flood(client, 59, 8, '/limits')
  const { body, headers } = await client.get('/limits')
  expect(body.message).toBe('All 60 requests to GET /limits with this key in this minute are used. Retry in 60 s.')
  expect(headers.get('x-ratelimit-remaining')).toBe('0')
  expect(windowIn(await client.get('/pets'))).toMatchObject({ limit: 300, remaining: 292 })
})

test('every rejection says which limit is used up', async () => {
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 2, perDay: 3 } })
  const messages = [...(await flood(client, 3, 1)), ...(await flood(service.as(undefined), 61, 1))]
    .filter(({ status }) => status === 429)
    .map(({ body }) => body.message)
  expect(messages).toEqual([
    'All 2 requests with this key in this minute are used. Retry in 60 s; what this key sends before that counts towards a temporary ban.',
    'All 60 requests from this IP address without a valid key in this minute are used. Retry in 60 s.',
  ])
  service.clock.advance(60_000)
})

test('it works while the key is banned and shows the end of the ban', async () => {
  const client = await service.newClient({ plan: 'free' })
  await getBanned(service, client)
  const until = new Date(service.clock.now() + 120_000).toISOString()
  expect((await client.get('/limits')).body.ban).toEqual({ until, level: 1 })
})

test('it requires a valid key: without one it returns 401 and counts for the address', async () => {
  service.clock.advance(60_000)
  const unauthenticated = await flood(service.as(undefined), 61, 8, '/limits')
  expect(tally(unauthenticated)).toEqual({ missing_api_key: 60, rate_limited: 1 })
})
