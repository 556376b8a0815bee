import { afterAll, expect, test } from 'bun:test'
import { flood, retryAfter, tally, windowIn } from '../../harness/flood.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

const minuteMs = 60_000
/** The day of the current test; each test uses another one. */
let day = Date.UTC(2026, 11, 1)
function nextDay(time: string): void {
  day += 86_400_000
  service.clock.set(Date.parse(`${new Date(day).toISOString().slice(0, 10)}T${time}Z`))
}

const free = () => service.newClient({ plan: 'free' })
const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index)
const remainingIn = (responses: Parameters<typeof tally>[0]) =>
  responses
    .filter(({ status }) => status === 200)
    .map((response) => windowIn(response).remaining)
    .sort((a, b) => b - a)

test('260 requests over 64 connections at one moment: 60 are admitted, the others rejected, and the key is not banned', async () => {
  nextDay('12:00:30')
  const responses = await flood(await free(), 260)
  expect(tally(responses)).toEqual({ 200: 60, rate_limited: 200 })
  expect(remainingIn(responses)).toEqual(descending(59, 0))
  expect(new Set(responses.map((response) => windowIn(response).reset))).toEqual(
    new Set([service.clock.now() / 1000 + 30]),
  )
  for (const response of responses.filter(({ status }) => status === 429)) expect(retryAfter(response)).toBe(30)
})

test('a minute boundary during requests: each window is exact, and the headers are correct', async () => {
  nextDay('12:00:59.999')
  const client = await free()
  const boundary = service.clock.now() + 1
  // The clock moves after some get a response.
  let responded = 0
  const send = async () => {
    const response = await client.get('/pets?limit=1')
    if (++responded === 20) service.clock.set(boundary)
    return response
  }
  const responses = (await Promise.all(Array.from({ length: 64 }, async () => [await send(), await send()]))).flat()
  for (const reset of [boundary / 1000, boundary / 1000 + 60]) {
    const ofWindow = responses.filter((response) => windowIn(response).reset === reset)
    const admitted = remainingIn(ofWindow)
    expect(admitted).toEqual(descending(59, 60 - admitted.length))
    const rejected = ofWindow.length - admitted.length
    expect(rejected === 0 || admitted.length === 60).toBe(true)
  }
  const unknown = responses.filter(
    (response) => ![boundary, boundary + minuteMs].includes(windowIn(response).reset * 1000),
  )
  expect(unknown).toEqual([])
})

test('UTC midnight: the old day is used up, the new one is not', async () => {
  nextDay('23:58:00')
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 400, perDay: 500 } })
  const midnight = service.clock.now() + 2 * minuteMs

  expect(tally(await flood(client, 400))).toEqual({ 200: 400 })
  service.clock.set(midnight - 1)
  const spent = await flood(client, 150)
  expect(tally(spent)).toEqual({ 200: 100, quota_exhausted: 50 })
  for (const response of spent) {
    // From here on the day has less left, and it ends in a millisecond.
    expect(windowIn(response)).toEqual({
      limit: 500,
      remaining: windowIn(response).remaining,
      reset: midnight / 1000,
    })
    if (response.status === 429) expect(retryAfter(response)).toBe(1)
  }
  service.clock.set(midnight)
  const fresh = await flood(client, 400)
  expect(tally(fresh)).toEqual({ 200: 400 })
  expect(remainingIn(fresh.filter((response) => windowIn(response).limit === 400)).at(0)).toBe(399)
  expect(new Set(fresh.map((response) => windowIn(response).reset))).toContain(midnight / 1000 + 60)
})

test('a clock that steps back reopens no used window and closes no new one', async () => {
  nextDay('12:05:10')
  const client = await free()
  const start = service.clock.now()
  expect(tally(await flood(client, 65))).toEqual({ 200: 60, rate_limited: 5 })

  service.clock.set(start - 5_000)
  expect(tally(await flood(client, 5))).toEqual({ rate_limited: 5 })
  service.clock.set(start - 2 * minuteMs)
  expect(tally(await flood(client, 60))).toEqual({ 200: 60 })
  service.clock.set(start)
  expect(tally(await flood(client, 5))).toEqual({ rate_limited: 5 })
  service.clock.set(start + minuteMs)
  expect(tally(await flood(client, 61))).toEqual({ 200: 60, rate_limited: 1 })
})

test('a clock that steps back over midnight does not reopen the day, even after a cleanup of the counters', async () => {
  nextDay('23:59:50')
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 100, perDay: 100 } })
  const evening = service.clock.now()
  expect(tally(await flood(client, 100))).toEqual({ 200: 100 })
  service.clock.set(evening + 5 * minuteMs)
  await service.context.limiter.flush()
  await service.context.limiter.forgetIdle(service.clock.now())
  service.clock.set(evening)
  expect(tally(await flood(client, 1))).toEqual({ quota_exhausted: 1 })
})

test('a client that waits exactly Retry-After is served, wherever in the minute it was rejected', async () => {
  for (const time of ['12:00:00', '12:00:00.001', '12:00:17.350', '12:00:59', '12:00:59.999']) {
    nextDay(time)
    const client = await free()
    const rejected = (await flood(client, 61)).find(({ status }) => status === 429)
    if (!rejected) throw new Error('nothing was rejected')
    service.clock.advance(retryAfter(rejected) * 1000)
    expect((await client.get('/pets')).status).toBe(200)
  }
})

test('a client that waits for the next day is served', async () => {
  nextDay('20:00:00.500')
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 50, perDay: 20 } })
  const rejected = (await flood(client, 21, 1)).at(-1)
  if (!rejected) throw new Error('nothing was rejected')
  expect(rejected.body.code).toBe('quota_exhausted')
  expect(retryAfter(rejected)).toBe(4 * 3600)
  service.clock.advance(retryAfter(rejected) * 1000)
  expect((await client.get('/pets')).status).toBe(200)
})

test('a rejected request counts in neither window', async () => {
  nextDay('12:00:00')
  const client = await free()
  await flood(client, 80)
  const { windows } = (await client.get('/limits')).body
  expect(windows.map(({ remaining }: { remaining: number }) => remaining)).toEqual([0, 940])
})

test('an admitted request counts, whatever its response', async () => {
  nextDay('12:00:00')
  const client = await service.newClient({ plan: 'free', preset: 'reader' })
  const paths = ['/pets', '/pets?limit=0', '/keys', '/pets/999999/profile']
  const responses = []
  for (const path of paths) responses.push(await client.get(path))
  expect(responses.map((response) => [response.status, windowIn(response).remaining])).toEqual([
    [200, 59],
    [400, 58],
    [403, 57],
    [404, 56],
  ])
})

test('a change of the plan takes effect immediately, and what was used stays used', async () => {
  nextDay('12:00:00')
  const client = await free()
  await flood(client, 60)
  await service.admin.patch(`/keys/${client.keyId}`, { plan: 'pro' })
  expect(windowIn(await client.get('/pets'))).toMatchObject({ limit: 300, remaining: 239 })
  await service.admin.patch(`/keys/${client.keyId}`, { plan: 'free' })
  const back = await client.get('/pets')
  expect([back.status, windowIn(back).remaining]).toEqual([429, 0])
})
