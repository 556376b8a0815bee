import { afterAll, expect, test } from 'bun:test'
import { createStrikes } from '../../../src/platform/access/strikes.ts'
import { banKey } from '../../../src/platform/keys/ban.ts'
import { banAt, banDurationMs, type KnownKey, nextLevel } from '../../../src/platform/keys/directory.ts'
import { keySubject } from '../../../src/platform/keys/plans.ts'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { eventually } from '../../harness/eventually.ts'
import { burstMs, flood, getBanned, retryAfter, tally, windowIn } from '../../harness/flood.ts'
import { type Client, startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

const minuteMs = 60_000
const dayMs = 86_400_000

/** Uses up a minute and keeps calling until the key is banned. Returns the ban from GET /limits. */
async function provokeBan(client: Client): Promise<{ minutes: number; level: number }> {
  toNextMinute()
  await getBanned(service, client)
  await strikesAreForgotten(client)
  const { ban } = (await client.get('/limits')).body
  return { minutes: (Date.parse(ban.until) - service.clock.now()) / minuteMs, level: ban.level }
}

const toNextMinute = () => service.clock.set(Math.ceil((service.clock.now() + 1) / minuteMs) * minuteMs)

/** Uses up the key's minute, and waits until a burst would be over. */
async function useUp(client: Client): Promise<void> {
  expect(tally(await flood(client, perMinute + 1))).toEqual({ 200: perMinute, rate_limited: 1 })
  service.clock.advance(burstMs)
}

/** Shared strikes are deleted after the response. A client cannot call again before that, but a clock that jumps can. */
async function strikesAreForgotten({ keyId }: Client): Promise<void> {
  if (process.env.TEST_ENGINE !== 'postgres') return
  const statement = "SELECT 1 FROM rate_counters WHERE subject = $1 AND period = 'strike'"
  await eventually(async () => (await service.context.db.query(statement, [keySubject(keyId)])).length === 0)
}

/** A key whose minute is soon used up. It may have 30 strikes. */
const perMinute = 5
const small = () => service.newClient({ plan: 'enterprise', limits: { perMinute, perDay: 10_000 } })

test('a burst is no reason for a ban: what arrives within a second of the first rejection may have been on its way', async () => {
  for (const limit of [60, perMinute]) {
    toNextMinute()
    const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: limit, perDay: 500 } })
    expect(tally(await flood(client, limit + 150, 200))).toEqual({ 200: limit, rate_limited: 150 })
    service.clock.advance(1_000)
    expect(tally(await flood(client, 50))).toEqual({ rate_limited: 50 })
    service.clock.advance(1)
    expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
    expect(tally(await flood(client, 1))).toEqual({ key_banned: 1 })
  }
})

test('a burst of 200 on the free plan leads to no ban, and one of a thousand does', async () => {
  toNextMinute()
  const [burst, thousand] = [await service.newClient({ plan: 'free' }), await service.newClient({ plan: 'free' })]
  expect(tally(await flood(burst, 200, 200))).toEqual({ 200: 60, rate_limited: 140 })
  expect((await burst.get('/limits')).body.ban).toBeUndefined()
  const outcomes = tally(await flood(thousand, 1_000, 200))
  // Of 940 rejections, 200 are forgiven and 30 are strikes that lead to no ban.
  expect(outcomes).toMatchObject({ 200: 60, key_banned: expect.any(Number) })
  expect(outcomes.rate_limited).toBeGreaterThanOrEqual(230)
  expect((await thousand.get('/limits')).body.ban).toMatchObject({ level: 1 })
})

test('of the rejections in a burst, 200 are forgiven: each further one is a strike', async () => {
  toNextMinute()
  const client = await small()
  expect(tally(await flood(client, perMinute + 200))).toEqual({ 200: perMinute, rate_limited: 200 })
  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
  expect(tally(await flood(client, 1))).toEqual({ key_banned: 1 })
})

test('each minute forgives its own burst; a day that is used up forgives one', async () => {
  toNextMinute()
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 5, perDay: 20 } })
  for (let minute = 0; minute < 4; minute++) {
    expect(tally(await flood(client, 105))).toEqual({ 200: 5, [minute < 3 ? 'rate_limited' : 'quota_exhausted']: 100 })
    service.clock.advance(minuteMs)
  }
  expect(tally(await flood(client, 30))).toEqual({ quota_exhausted: 30 })
  expect(tally(await flood(client, 1))).toEqual({ key_banned: 1 })
})

test('while banned, the headers say that nothing is left until the end of the ban', async () => {
  const client = await small()
  toNextMinute()
  // The headers round to seconds, up.
  service.clock.advance(250)
  const rejected = await getBanned(service, client)
  const { until } = (await client.get('/limits')).body.ban
  const expected = { limit: perMinute, remaining: 0, reset: Math.ceil(Date.parse(until) / 1000) }
  service.clock.advance(minuteMs)
  for (const response of [
    rejected,
    await client.get('/pets'),
    await client.get('/limits'),
    await client.get('/no/such/path'),
    await client.send('OPTIONS', '/pets'),
  ]) {
    expect(windowIn(response)).toEqual(expected)
  }
})

test('a ban lasts 2, 4, 8 … minutes and never more than a day', async () => {
  const client = await small()
  const lengths = []
  for (let level = 1; level <= 12; level++) {
    const ban = await provokeBan(client)
    expect(ban.level).toBe(level)
    lengths.push(ban.minutes)
    service.clock.advance(ban.minutes * minuteMs)
  }
  expect(lengths).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440, 1_440])
})

test('after a day without a ban the next one is 2 minutes again; a moment earlier it is not', async () => {
  const [patient, hasty] = [await small(), await small()]
  await provokeBan(patient)
  service.clock.advance(2 * minuteMs + dayMs)
  expect(await provokeBan(patient)).toEqual({ minutes: 2, level: 1 })

  await provokeBan(hasty)
  service.clock.advance(2 * minuteMs + dayMs - 10 * minuteMs)
  expect(await provokeBan(hasty)).toEqual({ minutes: 4, level: 2 })
})

test('the day after a ban that was lifted counts from then on', async () => {
  const client = await small()
  await provokeBan(client)
  await service.admin.delete(`/keys/${client.keyId}/ban`)
  service.clock.advance(dayMs)
  expect((await provokeBan(client)).level).toBe(1)
})

test('the day counts from the end of the last ban, to the millisecond', () => {
  const last = { level: 5, endedAt: 1_000 }
  expect(nextLevel(undefined, 0)).toBe(1)
  expect(nextLevel(last, 1_000)).toBe(6)
  expect(nextLevel(last, 1_000 + dayMs - 1)).toBe(6)
  expect(nextLevel(last, 1_000 + dayMs)).toBe(1)
})

test('a ban may start up to a minute ahead of this clock; one further ahead was set by a wrong clock', () => {
  const now = Date.UTC(2026, 10, 15)
  const startingAt = (start: number) => ({ ban: { level: 1, until: start + banDurationMs(1) } })
  expect(banAt(startingAt(now + 60_000), now)).toBeDefined()
  expect(banAt(startingAt(now + 60_001), now)).toBeUndefined()
})

test('while banned: 429 with Retry-After until the end, for every request; after it, served immediately', async () => {
  const client = await small()
  await provokeBan(client)
  service.clock.advance(30_500)
  const insisting = await flood(client, 100)
  expect(tally(insisting)).toEqual({ key_banned: 100 })
  expect(new Set(insisting.map(retryAfter))).toEqual(new Set([90]))
  expect((await client.get('/no/such/path')).body.code).toBe('key_banned')

  service.clock.advance(89_499)
  const last = await client.get('/pets')
  expect([last.body.code, retryAfter(last)]).toEqual(['key_banned', 1])
  service.clock.advance(1)
  expect((await client.get('/pets')).status).toBe(200)
  expect((await client.get('/limits')).body.ban).toBeUndefined()
})

test('a ban, its level and its history survive a restart', async () => {
  const client = await small()
  await provokeBan(client)
  const { ban } = (await client.get('/limits')).body
  await service.restart()
  expect((await client.get('/pets')).body.code).toBe('key_banned')
  expect((await client.get('/limits')).body.ban).toEqual(ban)
  expect((await service.admin.get(`/keys/${client.keyId}`)).body.ban).toEqual(ban)

  service.clock.advance(2 * minuteMs)
  expect((await provokeBan(client)).level).toBe(2)
  const history = await service.context.db.query<{ level: number }>(
    'SELECT level FROM bans WHERE key_id = $1 ORDER BY id',
    [client.keyId],
  )
  expect(history.map(({ level }) => level)).toEqual([1, 2])
})

test('an administrator lifts a ban: the key works immediately and its strikes are reset, but not its history', async () => {
  const client = await small()
  await provokeBan(client)
  expect((await service.admin.delete(`/keys/${client.keyId}/ban`)).status).toBe(204)
  expect((await client.get('/limits')).body.ban).toBeUndefined()
  expect((await service.admin.get(`/keys/${client.keyId}`)).body.ban).toBeUndefined()

  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
  service.clock.advance(20 * minuteMs)
  expect((await client.get('/pets')).status).toBe(200)
  service.clock.advance(minuteMs)
  expect((await provokeBan(client)).level).toBe(2)
})

test('lifting without a ban resets the strikes, and does not change when the last ban ended', async () => {
  const [client, other] = [await small(), await small()]
  toNextMinute()
  for (const one of [client, other]) {
    await useUp(one)
    expect(tally(await flood(one, 30))).toEqual({ rate_limited: 30 })
  }
  await service.admin.delete(`/keys/${client.keyId}/ban`)
  await strikesAreForgotten(client)
  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
  expect(tally(await flood(other, 1))).toEqual({ key_banned: 1 })

  await provokeBan(client)
  service.clock.advance(dayMs / 2)
  await service.admin.delete(`/keys/${client.keyId}/ban`)
  service.clock.advance(dayMs / 2 + 2 * minuteMs)
  expect((await provokeBan(client)).level).toBe(1)
})

test('lifting without a ban is not an error; an unknown key is not found', async () => {
  const client = await small()
  expect((await service.admin.delete(`/keys/${client.keyId}/ban`)).status).toBe(204)
  expect((await service.admin.delete('/keys/987654321/ban')).body.code).toBe('key_not_found')
  expect((await client.delete(`/keys/${client.keyId}/ban`)).body.code).toBe('insufficient_scope')
})

test('lifting a ban with a stale ETag is rejected', async () => {
  const client = await small()
  const path = `/keys/${client.keyId}`
  const before = (await service.admin.get(path)).headers.get('etag') ?? ''
  await provokeBan(client)
  const stale = await service.admin.delete(`${path}/ban`, { 'If-Match': before })
  expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
  const etag = (await service.admin.get(path)).headers.get('etag') ?? ''
  expect((await service.admin.delete(`${path}/ban`, { 'If-Match': etag })).status).toBe(204)
  expect((await service.admin.get(path)).body.ban).toBeUndefined()
})

test('the strikes before a ban do not count after it', async () => {
  const client = await small()
  await provokeBan(client)
  service.clock.advance(2 * minuteMs)
  await useUp(client)
  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
})

test('strikes older than ten minutes do not count', async () => {
  const client = await small()
  toNextMinute()
  await useUp(client)
  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
  service.clock.advance(9 * minuteMs)
  await useUp(client)
  expect(tally(await flood(client, 1))).toEqual({ key_banned: 1 })

  const other = await small()
  toNextMinute()
  await useUp(other)
  expect(tally(await flood(other, 30))).toEqual({ rate_limited: 30 })
  service.clock.advance(10 * minuteMs)
  await useUp(other)
  expect(tally(await flood(other, 30))).toEqual({ rate_limited: 30 })
})

test('strikes dated in the future by a wrong clock do not count', async () => {
  const client = await small()
  toNextMinute()
  service.clock.advance(60 * minuteMs)
  await useUp(client)
  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
  service.clock.advance(-30 * minuteMs)
  await useUp(client)
  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
  service.clock.advance(40 * minuteMs)
})

test('a client that obeys Retry-After is never banned, even if it wants more than its limit all day', async () => {
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 6, perDay: 100 } })
  const until = service.clock.now() + 2 * dayMs
  let served = 0
  while (service.clock.now() < until) {
    const response = await client.get('/pets?limit=1')
    if (response.status === 200) {
      served++
      // Twice what the key may send.
      service.clock.advance(5_000)
    } else {
      expect(response.body.code).toBeOneOf(['rate_limited', 'quota_exhausted'])
      service.clock.advance(retryAfter(response) * 1000)
    }
  }
  expect(served).toBeGreaterThanOrEqual(200)
  expect(await service.context.db.query('SELECT id FROM bans WHERE key_id = $1', [client.keyId])).toEqual([])
})

test('a key may have as many strikes as half its minute, and at least 30', async () => {
  for (const { key, limit, allowance } of [
    { key: { plan: 'free' }, limit: 60, allowance: 30 },
    { key: { plan: 'pro' }, limit: 300, allowance: 150 },
    { key: { plan: 'enterprise', limits: { perMinute: 5, perDay: 500 } }, limit: 5, allowance: 30 },
    { key: { plan: 'enterprise', limits: { perMinute: 75, perDay: 500 } }, limit: 75, allowance: 37 },
  ]) {
    toNextMinute()
    const client = await service.newClient(key)
    expect(tally(await flood(client, limit + 1))).toEqual({ 200: limit, rate_limited: 1 })
    service.clock.advance(burstMs)
    expect(tally(await flood(client, allowance, allowance))).toEqual({ rate_limited: allowance })
    expect((await client.get('/limits')).body.ban).toBeUndefined()
    expect(tally(await flood(client, 1))).toEqual({ key_banned: 1 })
  }
})

test('a request that is rejected just after its key was banned is told of the ban', async () => {
  const client = await small()
  const { db, directory, limiter } = service.context
  const found = (await directory.find(client.secret ?? '', service.clock.now())) as KnownKey
  await provokeBan(client)
  const banAfterStrikes = createStrikes({ db, directory, limiter, banFailed: () => undefined, onBan: () => undefined })
  expect(await banAfterStrikes(found, 0, service.clock.now())).toMatchObject({ level: 1 })
})

test('nodes that ban a key at the same time create one ban', async () => {
  const { keyId } = await small()
  const { db } = service.context
  const ban = () => db.transaction((tx) => banKey(tx, { now: service.clock.now() }, keyId))
  const banned = await Promise.all(Array.from({ length: 6 }, ban))
  expect(banned.map(({ key }) => key.ban_level)).toEqual([1, 1, 1, 1, 1, 1])
  expect(banned.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await db.query('SELECT id FROM bans WHERE key_id = $1', [keyId])).toHaveLength(1)
})

test('concurrent requests over the allowance cause one ban', async () => {
  const client = await small()
  toNextMinute()
  await useUp(client)
  await flood(client, 200, 200)
  const bans = await service.context.db.query('SELECT id FROM bans WHERE key_id = $1', [client.keyId])
  expect(bans).toHaveLength(1)
})

test('no caller can get another key banned: wrong keys count for the address they come from', async () => {
  const victim = await small()
  const { secret = '' } = victim
  service.clock.advance(minuteMs)
  const almost = service.as(secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0'))
  const guesses = [...(await flood(almost, 100)), ...(await flood(service.as(newSecret()), 100))]
  expect(tally(guesses)).toEqual({ invalid_api_key: 60, rate_limited: 140 })
  expect(windowIn(await victim.get('/pets'))).toMatchObject({ limit: perMinute, remaining: perMinute - 1 })
  expect((await victim.get('/limits')).body.ban).toBeUndefined()
})
