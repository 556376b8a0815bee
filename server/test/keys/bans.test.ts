import { afterAll, expect, test } from 'bun:test'
import { nextLevel } from '../../src/keys/bans.ts'
import { newSecret } from '../../src/keys/secret.ts'
import { keySubject } from '../../src/keys/subjects.ts'
import { flood, retryAfter, tally, windowIn } from '../harness/flood.ts'
import { type Client, startService } from '../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

const minuteMs = 60_000
const dayMs = 86_400_000

/** Uses up a minute and keeps calling until the key is banned. Returns the ban from GET /limits. */
async function getBanned(client: Client): Promise<{ minutes: number; level: number }> {
  service.clock.set(Math.ceil((service.clock.now() + 1) / minuteMs) * minuteMs)
  expect(tally(await flood(client, 90))).toEqual({ 200: 60, rate_limited: 30 })
  // One by one, because a request sent along with the last one may already be refused by the ban. PostgreSQL notifies a node a second time
  // that a ban was lifted, which resets the strikes again, so it may take more of them.
  let answers = tally(await flood(client, 1))
  for (let more = 0; more < 30 && answers.rate_limited; more++) answers = tally(await flood(client, 1))
  expect(answers).toEqual({ key_banned: 1 })
  await strikesAreForgotten(client)
  const { ban } = (await client.get('/limits')).body
  return { minutes: (Date.parse(ban.until) - service.clock.now()) / minuteMs, level: ban.level }
}

/** Shared strikes are deleted after the response. A client cannot call again before that, but a clock that jumps can. */
async function strikesAreForgotten({ keyId }: Client): Promise<void> {
  if (process.env.TEST_ENGINE !== 'postgres') return
  const statement = "SELECT 1 FROM rate_counters WHERE subject = $1 AND period = 'strike'"
  while ((await service.context.db.query(statement, [keySubject(keyId)])).length > 0) await Bun.sleep(5)
}

const free = () => service.newClient({ plan: 'free' })

test('a ban lasts 2, 4, 8 … minutes and never more than a day', async () => {
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 60, perDay: 100_000 } })
  const lengths = []
  for (let level = 1; level <= 12; level++) {
    const ban = await getBanned(client)
    expect(ban.level).toBe(level)
    lengths.push(ban.minutes)
    service.clock.advance(ban.minutes * minuteMs)
  }
  expect(lengths).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440, 1_440])
})

test('after a day without a ban the next one is 2 minutes again; a moment earlier it is not', async () => {
  const [patient, hasty] = [await free(), await free()]
  await getBanned(patient)
  service.clock.advance(2 * minuteMs + dayMs)
  expect(await getBanned(patient)).toEqual({ minutes: 2, level: 1 })

  await getBanned(hasty)
  service.clock.advance(2 * minuteMs + dayMs - 10 * minuteMs)
  expect(await getBanned(hasty)).toEqual({ minutes: 4, level: 2 })
})

test('the day counts from the end of the last ban, to the millisecond', () => {
  const last = { level: 5, endedAt: 1_000 }
  expect(nextLevel(undefined, 0)).toBe(1)
  expect(nextLevel(last, 1_000)).toBe(6)
  expect(nextLevel(last, 1_000 + dayMs - 1)).toBe(6)
  expect(nextLevel(last, 1_000 + dayMs)).toBe(1)
})

test('while banned: 429 with Retry-After until the end, for every request; after it, served immediately', async () => {
  const client = await free()
  await getBanned(client)
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
  const client = await free()
  await getBanned(client)
  const { ban } = (await client.get('/limits')).body
  await service.restart()
  expect((await client.get('/pets')).body.code).toBe('key_banned')
  expect((await client.get('/limits')).body.ban).toEqual(ban)
  expect((await service.admin.get(`/keys/${client.keyId}`)).body.ban).toEqual(ban)

  service.clock.advance(2 * minuteMs)
  expect((await getBanned(client)).level).toBe(2)
  const history = await service.context.db.query<{ level: number }>(
    'SELECT level FROM bans WHERE key_id = $1 ORDER BY id',
    [client.keyId],
  )
  expect(history.map(({ level }) => level)).toEqual([1, 2])
})

test('an administrator lifts a ban: the key works immediately and its strikes are reset, but not its history', async () => {
  const client = await free()
  await getBanned(client)
  expect((await service.admin.delete(`/keys/${client.keyId}/ban`)).status).toBe(204)
  expect((await client.get('/limits')).body.ban).toBeUndefined()
  expect((await service.admin.get(`/keys/${client.keyId}`)).body.ban).toBeUndefined()

  expect(tally(await flood(client, 30))).toEqual({ rate_limited: 30 })
  service.clock.advance(20 * minuteMs)
  expect((await client.get('/pets')).status).toBe(200)
  service.clock.advance(minuteMs)
  expect((await getBanned(client)).level).toBe(2)
})

test('lifting without a ban does nothing; an unknown key is not found', async () => {
  const client = await free()
  expect((await service.admin.delete(`/keys/${client.keyId}/ban`)).status).toBe(204)
  expect((await service.admin.delete('/keys/987654321/ban')).body.code).toBe('key_not_found')
  expect((await client.delete(`/keys/${client.keyId}/ban`)).body.code).toBe('insufficient_scope')
})

test('lifting a ban with a stale ETag is refused', async () => {
  const client = await free()
  const path = `/keys/${client.keyId}`
  const before = (await service.admin.get(path)).headers.get('etag') ?? ''
  await getBanned(client)
  const stale = await service.admin.delete(`${path}/ban`, { 'If-Match': before })
  expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
  const etag = (await service.admin.get(path)).headers.get('etag') ?? ''
  expect((await service.admin.delete(`${path}/ban`, { 'If-Match': etag })).status).toBe(204)
  expect((await service.admin.get(path)).body.ban).toBeUndefined()
})

test('the strikes before a ban do not count after it', async () => {
  const client = await free()
  await getBanned(client)
  service.clock.advance(2 * minuteMs)
  expect(tally(await flood(client, 90))).toEqual({ 200: 60, rate_limited: 30 })
})

test('strikes older than ten minutes do not count', async () => {
  const client = await free()
  service.clock.set(Math.ceil((service.clock.now() + 1) / minuteMs) * minuteMs)
  expect(tally(await flood(client, 90))).toEqual({ 200: 60, rate_limited: 30 })
  service.clock.advance(9 * minuteMs)
  expect(tally(await flood(client, 61))).toEqual({ 200: 60, key_banned: 1 })

  const other = await free()
  expect(tally(await flood(other, 90))).toEqual({ 200: 60, rate_limited: 30 })
  service.clock.advance(10 * minuteMs)
  expect(tally(await flood(other, 90))).toEqual({ 200: 60, rate_limited: 30 })
})

test('strikes dated in the future by a wrong clock do not count', async () => {
  const client = await free()
  service.clock.advance(60 * minuteMs)
  expect(tally(await flood(client, 90))).toEqual({ 200: 60, rate_limited: 30 })
  service.clock.advance(-30 * minuteMs)
  expect(tally(await flood(client, 90))).toEqual({ 200: 60, rate_limited: 30 })
  service.clock.advance(40 * minuteMs)
})

test('a client that obeys Retry-After is never banned, even if it wants more than its limit all day', async () => {
  const client = await free()
  const until = service.clock.now() + 2 * dayMs
  let served = 0
  while (service.clock.now() < until) {
    const answer = await client.get('/pets?limit=1')
    if (answer.status === 200) {
      served++
      // Two requests per second, twice the plan.
      service.clock.advance(500)
    } else {
      expect(answer.body.code).toBeOneOf(['rate_limited', 'quota_exhausted'])
      service.clock.advance(retryAfter(answer) * 1000)
    }
  }
  expect(served).toBeGreaterThanOrEqual(2_000)
  expect(await service.context.db.query('SELECT id FROM bans WHERE key_id = $1', [client.keyId])).toEqual([])
})

test('one concurrent burst within the allowance is not banned', async () => {
  for (const { key, limit, allowance } of [
    { key: { plan: 'free' }, limit: 60, allowance: 30 },
    { key: { plan: 'pro' }, limit: 300, allowance: 150 },
    { key: { plan: 'enterprise', limits: { perMinute: 5, perDay: 500 } }, limit: 5, allowance: 30 },
  ]) {
    const client = await service.newClient(key)
    const count = limit + allowance
    const burst = await flood(client, count, count)
    expect(tally(burst)).toEqual({ 200: limit, rate_limited: allowance })
    expect((await client.get('/limits')).body.ban).toBeUndefined()
    expect(tally(await flood(client, 1))).toEqual({ key_banned: 1 })
  }
})

test('concurrent requests over the allowance cause one ban', async () => {
  const client = await free()
  service.clock.advance(minuteMs)
  await flood(client, 400, 400)
  const bans = await service.context.db.query('SELECT id FROM bans WHERE key_id = $1', [client.keyId])
  expect(bans).toHaveLength(1)
})

test('no caller can get another key banned: wrong keys count for the address they come from', async () => {
  const victim = await free()
  const { secret = '' } = victim
  service.clock.advance(minuteMs)
  const almost = service.as(secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0'))
  const guesses = [...(await flood(almost, 100)), ...(await flood(service.as(newSecret()), 100))]
  expect(tally(guesses)).toEqual({ invalid_api_key: 60, rate_limited: 140 })
  expect(windowIn(await victim.get('/pets'))).toMatchObject({ limit: 60, remaining: 59 })
  expect((await victim.get('/limits')).body.ban).toBeUndefined()
})
