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
const remainingIn = (answers: Parameters<typeof tally>[0]) =>
  answers
    .filter(({ status }) => status === 200)
    .map((answer) => windowIn(answer).remaining)
    .sort((a, b) => b - a)

test('260 requests over 64 connections at one moment: 60 are admitted, the others refused, and the key is not banned', async () => {
  nextDay('12:00:30')
  const answers = await flood(await free(), 260)
  expect(tally(answers)).toEqual({ 200: 60, rate_limited: 200 })
  expect(remainingIn(answers)).toEqual(descending(59, 0))
  expect(new Set(answers.map((answer) => windowIn(answer).reset))).toEqual(new Set([service.clock.now() / 1000 + 30]))
  for (const answer of answers.filter(({ status }) => status === 429)) expect(retryAfter(answer)).toBe(30)
})

test('a minute boundary during requests: each window is exact, and the headers are correct', async () => {
  nextDay('12:00:59.999')
  const client = await free()
  const boundary = service.clock.now() + 1
  // The clock moves after some are answered.
  let answered = 0
  const send = async () => {
    const answer = await client.get('/pets?limit=1')
    if (++answered === 20) service.clock.set(boundary)
    return answer
  }
  const answers = (await Promise.all(Array.from({ length: 64 }, async () => [await send(), await send()]))).flat()
  for (const reset of [boundary / 1000, boundary / 1000 + 60]) {
    const ofWindow = answers.filter((answer) => windowIn(answer).reset === reset)
    const admitted = remainingIn(ofWindow)
    expect(admitted).toEqual(descending(59, 60 - admitted.length))
    const refused = ofWindow.length - admitted.length
    expect(refused === 0 || admitted.length === 60).toBe(true)
  }
  const unknown = answers.filter((answer) => ![boundary, boundary + minuteMs].includes(windowIn(answer).reset * 1000))
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
  for (const answer of spent) {
    // From here on the day has less left, and it ends in a millisecond.
    expect(windowIn(answer)).toEqual({
      limit: 500,
      remaining: windowIn(answer).remaining,
      reset: midnight / 1000,
    })
    if (answer.status === 429) expect(retryAfter(answer)).toBe(1)
  }
  service.clock.set(midnight)
  const fresh = await flood(client, 400)
  expect(tally(fresh)).toEqual({ 200: 400 })
  expect(remainingIn(fresh.filter((answer) => windowIn(answer).limit === 400)).at(0)).toBe(399)
  expect(new Set(fresh.map((answer) => windowIn(answer).reset))).toContain(midnight / 1000 + 60)
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

test('a client that waits exactly Retry-After is served, wherever in the minute it was refused', async () => {
  for (const time of ['12:00:00', '12:00:00.001', '12:00:17.350', '12:00:59', '12:00:59.999']) {
    nextDay(time)
    const client = await free()
    const refused = (await flood(client, 61)).find(({ status }) => status === 429)
    if (!refused) throw new Error('nothing was refused')
    service.clock.advance(retryAfter(refused) * 1000)
    expect((await client.get('/pets')).status).toBe(200)
  }
})

test('a client that waits for the next day is served', async () => {
  nextDay('20:00:00.500')
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 50, perDay: 20 } })
  const refused = (await flood(client, 21, 1)).at(-1)
  if (!refused) throw new Error('nothing was refused')
  expect(refused.body.code).toBe('quota_exhausted')
  expect(retryAfter(refused)).toBe(4 * 3600)
  service.clock.advance(retryAfter(refused) * 1000)
  expect((await client.get('/pets')).status).toBe(200)
})

test('a refused request counts in neither window', async () => {
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
  const answers = []
  for (const path of paths) answers.push(await client.get(path))
  expect(answers.map((answer) => [answer.status, windowIn(answer).remaining])).toEqual([
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
