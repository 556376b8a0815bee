import { afterAll, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { startTestHost, type TestSandbox } from '../harness/sandbox.ts'
import { newDirectory } from '../harness/scratch.ts'
import { type Receiver, startReceiver } from '../platform/webhooks/receiver.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const hour = 3_600
const day = 24 * hour

const setClock = async (sandbox: TestSandbox, change: object) => {
  const { status, body } = await sandbox.send('PUT', '/_sandbox/clock', change)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

async function newKey(sandbox: TestSandbox, wanted: object) {
  const { body } = await sandbox.send('POST', '/keys', { name: 'Test', preset: 'staff', ...wanted })
  return { id: body.id as number, headers: { 'X-API-Key': body.secret as string } }
}

test('a clock is shown, advanced, set and frozen', async () => {
  const sandbox = await host.create()
  const start = host.clock.now()
  expect((await sandbox.send('GET', '/_sandbox/clock')).body).toEqual({
    at: new Date(start).toISOString(),
    frozen: false,
  })
  await setClock(sandbox, { advanceSeconds: 90 })
  host.clock.advance(1_000)
  const { body, headers } = await sandbox.send('POST', '/store/orders', { petId: 1 })
  expect(Date.parse(body.placedAt)).toBe(start + 91_000)
  expect(Date.parse(headers.get('date') ?? '')).toBe(start + 91_000)

  const at = '2027-02-03T04:05:06.789Z'
  expect(await setClock(sandbox, { at, frozen: true })).toEqual({ at, frozen: true })
  host.clock.advance(60_000)
  expect((await sandbox.send('GET', '/_sandbox/clock')).body).toEqual({ at, frozen: true })
  expect(await setClock(sandbox, { advanceSeconds: 1 })).toEqual({ at: '2027-02-03T04:05:07.789Z', frozen: true })
  // However long it stood still, it goes on from there.
  host.clock.advance(60_000)
  await setClock(sandbox, { frozen: false })
  host.clock.advance(1_000)
  expect((await sandbox.send('GET', '/_sandbox/clock')).body.at).toBe('2027-02-03T04:05:08.789Z')
})

test('a clock that runs is frozen and moved, although it shows a later time at each read', async () => {
  let time = Date.UTC(2026, 10, 1)
  const running = await startTestHost({ hostTime: () => time++ })
  const sandbox = await running.create()
  expect(await setClock(sandbox, { advanceSeconds: 0 })).toMatchObject({ frozen: false })
  expect(await setClock(sandbox, { frozen: true })).toMatchObject({ frozen: true })
  await setClock(sandbox, { frozen: false })
  const at = '2027-02-03T04:05:06.789Z'
  expect(await setClock(sandbox, { at, frozen: true })).toEqual({ at, frozen: true })
  await running.stop()
})

test('a clock moves by whole milliseconds', async () => {
  const sandbox = await host.create()
  const { at } = await setClock(sandbox, { frozen: true })
  expect((await setClock(sandbox, { advanceSeconds: 0.0004 })).at).toBe(at)
  expect(Date.parse((await setClock(sandbox, { advanceSeconds: 0.0016 })).at)).toBe(Date.parse(at) + 2)
})

test('a clock goes on after its sandbox was closed, and after the host was', async () => {
  const sandbox = await host.create()
  await setClock(sandbox, { advanceSeconds: day })
  host.clock.advance(60_000)
  await host.sweep()
  await host.restart()
  const { body } = await host.send('GET', `/s/${sandbox.id}/_sandbox/clock`)
  expect(Date.parse(body.at)).toBe(host.clock.now() + day * 1000)
})

test.each([
  [{ at: '2020-01-01T00:00:00Z' }, '/at'],
  [{ at: '2200-01-01T00:00:00Z' }, '/at'],
  [{ at: '2030-01-01T00:00:00Z', advanceSeconds: 1 }, '/advanceSeconds'],
  [{ advanceSeconds: -1 }, '/advanceSeconds'],
  [{ speed: 2 }, '/speed'],
])('a clock cannot be set to %j', async (change, path) => {
  const { status, body } = await host.ready.send('PUT', '/_sandbox/clock', change)
  expect([status, body.errors?.[0].path]).toEqual([400, path])
})

test('a clock goes to the end of 2099, and no further', async () => {
  const end = '2100-01-01T00:00:00.000Z'
  const sandbox = await host.create({ data: 'empty', clock: { at: end, frozen: true } })
  expect(await setClock(sandbox, { at: end })).toEqual({ at: end, frozen: true })
  const later = await sandbox.send('PUT', '/_sandbox/clock', { at: '2100-01-01T00:00:00.001Z' })
  expect([later.status, later.body.errors?.[0].path]).toEqual([400, '/at'])
})

test('a clock that ran past its latest time can still be frozen', async () => {
  const sandbox = await host.create({ data: 'empty', clock: { at: '2100-01-01T00:00:00Z' } })
  host.clock.advance(5)
  const past = '2100-01-01T00:00:00.005Z'
  expect(await setClock(sandbox, {})).toEqual({ at: past, frozen: false })
  expect(await setClock(sandbox, { frozen: true })).toEqual({ at: past, frozen: true })
  const moved = await sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 1 })
  expect([moved.status, moved.body.errors?.[0].path]).toEqual([400, '/advanceSeconds'])
})

test.each(['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '2100-01-01T00:00:01Z', '9999-12-31T23:59:59Z'])(
  'a sandbox does not start at %s',
  async (at) => {
    const created = await host.send('POST', '/sandboxes', { clock: { at } })
    const reset = await host.ready.send('POST', '/_sandbox/reset', { clock: { at } })
    for (const { status, body } of [created, reset]) expect([status, body.errors?.[0].path]).toEqual([400, '/clock/at'])
  },
)

test.each(['1970-01-01T00:00:00.000Z', '2099-12-31T23:59:59.000Z'])('a sample shop can start at %s', async (at) => {
  const sandbox = await host.create({ clock: { at, frozen: true } })
  expect((await sandbox.send('POST', '/store/orders', { petId: 1 })).body.placedAt).toBe(at)
})

test('windows roll, bans end and keys expire', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  const expiresAt = new Date(host.clock.now() + 2 * day * 1000).toISOString()
  const { id, headers } = await newKey(sandbox, { plan: 'free', expiresAt })
  const call = () => sandbox.send('GET', '/pets?limit=1', undefined, headers)
  const calls = async (times: number) => {
    const all = await Promise.all(Array.from({ length: times }, call))
    return all.filter(({ status }) => status === 200).length
  }
  expect(await calls(61)).toBe(60)
  await setClock(sandbox, { advanceSeconds: 60 })
  expect(await calls(61)).toBe(60)
  await setClock(sandbox, { advanceSeconds: 2 })
  await calls(31)
  const banned = await call()
  expect([banned.body.code, banned.headers.get('retry-after')]).toEqual(['key_banned', '120'])
  await setClock(sandbox, { advanceSeconds: 120 })
  expect(await calls(1)).toBe(1)
  expect((await sandbox.send('GET', `/keys/${id}`)).body.ban).toBeUndefined()
  await setClock(sandbox, { at: expiresAt })
  expect((await call()).body.code).toBe('invalid_api_key')
})

test('the sunset comes, and stored responses and events are forgotten', async () => {
  const sandbox = await host.create()
  const place = () => sandbox.send('POST', '/store/orders', { petId: 1 }, { 'Idempotency-Key': 'once' })
  const first = await place()
  expect((await place()).body.id).toBe(first.body.id)
  await setClock(sandbox, { advanceSeconds: day })
  expect((await place()).body.id).not.toBe(first.body.id)
  const [oldest] = (await sandbox.send('GET', '/events?limit=1')).body
  await setClock(sandbox, { advanceSeconds: 31 * day })
  expect((await sandbox.send('GET', `/events?after=${oldest.id}`)).body.code).toBe('events_pruned')
  expect((await sandbox.send('GET', '/pets/1')).status).toBe(200)
  await setClock(sandbox, { at: '2027-07-01T00:00:00Z' })
  expect((await sandbox.send('GET', '/pets/1')).body.code).toBe('operation_sunset')
})

test('webhooks are retried on the way, each at its own time, until they are given up', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  await using receiver = await startReceiver(500)
  const { body: webhook } = await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  await setClock(sandbox, { advanceSeconds: 30 * day })
  const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  const start = Math.floor(host.clock.now() / 1000)
  const delays = [0, 5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  expect(times).toHaveLength(delays.length)
  times.forEach((time, index) => {
    const since = time - (times[index - 1] ?? start)
    expect(since).toBeWithin(delays[index] as number, (delays[index] as number) * 1.2 + 2)
  })
  const [delivery] = (await sandbox.send('GET', `/webhooks/${webhook.id}/deliveries`)).body
  expect([delivery.state, delivery.attempts.length]).toEqual(['failed', delays.length])
  const { data } = (await sandbox.send('GET', '/_sandbox/deliveries')).body
  expect(data[0]).toMatchObject({ attempt: delays.length, status: 500, webhookId: webhook.id, url: webhook.url })
})

test('a webhook that fails for five days is disabled at that time', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  await using receiver = await startReceiver(500)
  const { body: webhook } = await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
  const start = host.clock.now()
  for (const name of ['Owls', 'Bats', 'Newts']) {
    await sandbox.send('POST', '/categories', { name })
    await setClock(sandbox, { advanceSeconds: 2 * day })
  }
  await setClock(sandbox, { advanceSeconds: day })
  expect((await sandbox.send('GET', `/webhooks/${webhook.id}`)).body).toMatchObject({ disabledReason: 'failing' })
  const [disabled] = (await sandbox.send('GET', '/events?type=webhook.disabled')).body
  expect(Date.parse(disabled.time) - start).toBeWithin(5 * day * 1000, 6 * day * 1000)
})

/** A sandbox whose webhook has failed twice, so that the next attempt is due in five minutes. */
async function failTwice(receiver: Receiver) {
  const sandbox = await host.create()
  await setClock(sandbox, { advanceSeconds: day })
  await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  await setClock(sandbox, { advanceSeconds: 10 })
  expect(receiver.received).toHaveLength(2)
  return sandbox
}

test('a webhook attempt that becomes due while the sandbox is closed is made', async () => {
  await using receiver = await startReceiver(500)
  await failTwice(receiver)
  host.clock.advance(60_000)
  await host.sweep()
  host.clock.advance(6 * 60_000)
  await host.sweep()
  await eventually(() => receiver.received.length === 3)
})

test('a webhook attempt that becomes due after a crash of the host is made without a request', async () => {
  await using receiver = await startReceiver(500)
  const sandbox = await failTwice(receiver)
  // What a crash would leave.
  using left = newDirectory()
  const folder = join('sandboxes', sandbox.id)
  cpSync(join(host.directory, folder), join(left.path, folder), { recursive: true })
  const next = await startTestHost({ directory: left.path })
  next.clock.set(host.clock.now() + 10 * 60_000)
  await next.sweep()
  await eventually(() => receiver.received.length === 3)
  await next.stop()
})
