import { afterAll, beforeAll, expect, test } from 'bun:test'
import { jobs } from '../../../src/jobs.ts'
import { flood, getBanned, tally } from '../../harness/flood.ts'
import { type Service, startService } from '../../harness/service.ts'

// The machine's clock is set wrong, and then right again.

let service: Service
beforeAll(async () => {
  service = await startService()
  // Long enough for the time to be trusted.
  service.clock.advance(11 * minuteMs)
})
afterAll(() => service.stop())

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const leapsMs = [minuteMs, hourMs, 3 * dayMs, 400 * dayMs]

/** Runs `work` while the machine's clock is wrong by this much, and then every cleanup. */
async function whileWrong(leapMs: number, work: () => Promise<void> = async () => undefined): Promise<void> {
  const { clock, context } = service
  clock.leap(leapMs)
  await work()
  for (const { run } of jobs(context).filter(({ name }) => /^(delete|drop)-/.test(name))) await run()
  clock.leap(-leapMs)
}

const perDay = (limit: number) => ({ plan: 'enterprise', limits: { perMinute: limit, perDay: limit } })

test.each([...leapsMs, ...leapsMs.map((ms) => -ms)])('used windows stay used over a leap of %d ms', async (leapMs) => {
  const client = await service.newClient(perDay(60))
  expect(tally(await flood(client, 61))).toEqual({ 200: 60, quota_exhausted: 1 })
  await whileWrong(leapMs, async () => void (await flood(client, 5)))
  expect(tally(await flood(client, 5))).toEqual({ quota_exhausted: 5 })
})

test.each(leapsMs)('requests in a wrong future do not count in the current windows (%d ms)', async (leapMs) => {
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 20, perDay: 1_000 } })
  await flood(client, 5)
  await whileWrong(leapMs, async () => expect(tally(await flood(client, 21))).toEqual({ 200: 20, rate_limited: 1 }))
  expect(tally(await flood(client, 16))).toEqual({ 200: 15, rate_limited: 1 })
})

test.each(leapsMs)('a ban lasts as long as intended, whatever the clock did meanwhile (%d ms)', async (leapMs) => {
  const client = await service.newClient({ plan: 'free' })
  await getBanned(service, client)
  await whileWrong(leapMs)
  expect((await client.get('/pets')).body.code).toBe('key_banned')
  service.clock.advance(2 * minuteMs)
  expect((await client.get('/pets')).status).toBe(200)
})

test.each(leapsMs)('a ban that started by a wrong clock ends with it (%d ms)', async (leapMs) => {
  const client = await service.newClient({ plan: 'free' })
  await whileWrong(leapMs + 2 * minuteMs, async () => {
    await getBanned(service, client)
  })
  expect((await client.get('/pets')).status).toBe(200)
  expect((await client.get('/limits')).body.ban).toBeUndefined()
})

test.each([...leapsMs, ...leapsMs.map((ms) => -ms)])(
  'a stored response is replayed after a leap of %d ms',
  async (leapMs) => {
    const headers = { 'Idempotency-Key': `leap ${leapMs}` }
    const first = await service.admin.post('/categories', { name: 'Dogs' }, headers)
    await whileWrong(leapMs)
    const again = await service.admin.post('/categories', { name: 'Dogs' }, headers)
    expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([first.body.id, 'true'])
  },
)

test('a key that expired only by a wrong clock works again, and so does a secret in its grace period', async () => {
  const expiresAt = new Date(service.clock.now() + hourMs).toISOString()
  const client = await service.newClient({ expiresAt })
  const rotated = await service.newClient()
  await service.admin.post(`/keys/${rotated.keyId}/rotate`, { graceSeconds: 3_600 })
  await whileWrong(dayMs, async () => {
    expect((await client.get('/pets')).status).toBe(401)
    expect((await rotated.get('/pets')).status).toBe(401)
  })
  expect((await client.get('/pets')).status).toBe(200)
  expect((await rotated.get('/pets')).status).toBe(200)
})

test('an operation past its sunset only by a wrong clock works again', async () => {
  const petId = await service.admin.newPet()
  await whileWrong(400 * dayMs, async () => {
    expect((await service.admin.get(`/pets/${petId}`)).status).toBe(410)
  })
  expect((await service.admin.get(`/pets/${petId}`)).status).toBe(200)
})
