import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { RecordedRequest } from '../../src/sandbox/recorded.ts'
import { eventually } from '../harness/eventually.ts'
import { inChunks, startTestHost, type TestSandbox } from '../harness/sandbox.ts'

// What correct clients do, as it is recorded. report.test.ts has the rules on histories that are written down.

let aheadMs = 0
const host = await startTestHost({ hostTime: () => Date.now() + aheadMs })
afterAll(() => host.stop())

/** Moves the host's time ahead, so that the next request certainly comes after the responses before it. */
const passTime = (ms = 1_000) => {
  aheadMs += ms
}

let sandbox: TestSandbox
beforeEach(async () => {
  sandbox = await host.create()
})

async function send(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  passTime()
  return sandbox.send(method, path, body, headers)
}

const fail = (rule: object) => sandbox.send('PUT', '/_sandbox/faults', { rules: [{ ...rule, times: 1 }] })
const advance = (seconds: number) => sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: seconds })

const shownKey = () => ({ 'X-API-Key': sandbox.apiKey })

/** Opens a stream of events. */
async function openStream(query = '', headers: Record<string, string> = {}) {
  const response = await fetch(`${sandbox.url}/events/stream${query}`, { headers: { ...shownKey(), ...headers } })
  return { status: response.status, reader: (response.body as ReadableStream<Uint8Array>).getReader() }
}

/** Creates a category and waits until the stream has sent its event, then closes the stream. */
async function readEventAndClose({ reader }: Awaited<ReturnType<typeof openStream>>) {
  await send('POST', '/categories', { name: 'Owls' })
  const text = new TextDecoder()
  let received = ''
  while (!received.includes('category.created')) received += text.decode((await reader.read()).value)
  await reader.cancel()
  await eventually(async () => {
    const { data } = (await sandbox.send('GET', '/_sandbox/requests')).body
    return data.some(({ streamLastEventId }: RecordedRequest) => streamLastEventId !== undefined)
  })
}

async function verdictOf(rule: string): Promise<string> {
  const { rules } = (await sandbox.send('GET', '/_sandbox/report')).body
  return rules.find((result: { rule: string }) => result.rule === rule).verdict
}

describe('retries what can pass', () => {
  const rule = 'retries_what_can_pass'

  test.each([
    ['a short body in chunks', '{"name":"Owls"}'],
    ['a long body in chunks', JSON.stringify({ name: 'x'.repeat(40_000) })],
  ])('a 503 that is retried with %s passes', async (_, text) => {
    const post = () => {
      passTime()
      const headers = { ...shownKey(), 'Content-Type': 'application/json', 'Idempotency-Key': 'k' }
      return fetch(`${sandbox.url}/categories`, { method: 'POST', headers, body: inChunks(text) })
    }
    await fail({ operation: 'createCategory', fault: 'unavailable' })
    expect((await post()).status).toBe(503)
    expect((await post()).status).not.toBe(503)
    expect([await verdictOf(rule), await verdictOf('repeats_posts_safely')]).toEqual(['passed', 'passed'])
  })

  test('the same request again fails', async () => {
    for (const _ of [1, 2]) await send('GET', '/pets/999/profile')
    expect(await verdictOf(rule)).toBe('failed')
  })

  test.each([
    ['/pets', 406, { Accept: 'image/png' }, { Accept: 'application/json' }],
    ['/pets/1/profile', 404, { Prefer: 'code=404' }, {}],
    ['/pets', 401, { 'X-API-Key': 'ps_wrong' }, { 'X-API-Key': 'ps_mistyped' }],
  ])('%s with other headers after %d is another request', async (path, status, before, after) => {
    expect((await send('GET', path, undefined, before as Record<string, string>)).status).toBe(status)
    await send('GET', path, undefined, after as Record<string, string>)
    expect(await verdictOf(rule)).not.toBe('failed')
  })

  test('a stream that starts without the wrong id is another request', async () => {
    expect((await openStream('', { 'Last-Event-ID': 'evt_nonsense' })).status).toBe(400)
    passTime()
    const { status, reader } = await openStream()
    await reader.cancel()
    expect([status, await verdictOf(rule)]).toEqual([200, 'passed'])
  })

  test('a corrected end of a body that is not recorded whole is another request', async () => {
    const pets = Array.from({ length: 99 }, () => ({ name: 'x'.repeat(200), categoryId: 1 }))
    expect((await send('POST', '/pets/batch', [...pets, { name: 'Rex', categoryId: 0 }])).status).toBe(400)
    expect((await send('POST', '/pets/batch', [...pets, { name: 'Rex', categoryId: 1 }])).status).toBe(201)
    expect(await verdictOf(rule)).toBe('passed')
  })

  test('a HEAD that waits after 429 passes', async () => {
    await fail({ fault: 'rate_limited' })
    expect((await send('HEAD', '/pets')).status).toBe(429)
    passTime(60_000)
    expect((await send('HEAD', '/pets')).status).toBe(200)
    expect([await verdictOf(rule), await verdictOf('waits_for_retry_after')]).toEqual(['not_seen', 'passed'])
  })

  test('a day later by the clock of the sandbox, the same request is a new one', async () => {
    await send('GET', '/pets/999/profile')
    await fail({ operation: 'createCategory', fault: 'unavailable' })
    await send('POST', '/categories', { name: 'Owls' })
    await advance(86_400)
    await send('GET', '/pets/999/profile')
    await send('POST', '/categories', { name: 'Owls' })
    expect([await verdictOf(rule), await verdictOf('repeats_posts_safely')]).toEqual(['passed', 'not_seen'])
  })
})

test('a key that is banned fails, though a HEAD does not say so', async () => {
  sandbox = await host.create({ clock: { at: '2030-01-01T12:00:10Z', frozen: true } })
  const limits = { perMinute: 5, perDay: 1_000 }
  const key = await sandbox.send('POST', '/keys', { name: 'Till', plan: 'enterprise', preset: 'reader', limits })
  const head = () => send('HEAD', '/pets', undefined, { 'X-API-Key': key.body.secret })
  const sendMany = async (times: number) =>
    (await Promise.all(Array.from({ length: times }, head))).map(({ status }) => status)
  expect(await sendMany(6)).toContain(429)
  expect(await verdictOf('stays_out_of_bans')).toBe('passed')
  await advance(2)
  await sendMany(32)
  expect(await verdictOf('stays_out_of_bans')).toBe('failed')
})

test('a client that got no response has not been told of a deprecation', async () => {
  await fail({ operation: 'getPet', fault: 'cut' })
  // A new connection, so that the lost request is not sent again by itself.
  const lost = fetch(`${sandbox.url}/pets/1`, { headers: { ...shownKey(), Connection: 'close' }, keepalive: false })
  expect(await lost.then(({ status }) => status).catch(() => 'lost')).toBe('lost')
  await send('GET', '/pets/1')
  expect(await verdictOf('leaves_deprecated')).toBe('passed')
  await send('GET', '/pets/1')
  expect(await verdictOf('leaves_deprecated')).toBe('failed')
})

describe('resumes streams', () => {
  const rule = 'resumes_streams'

  test('a stream beside another one is no resumption, however the clock of the sandbox moved', async () => {
    const first = await openStream()
    await advance(3_600)
    const beside = await openStream()
    await readEventAndClose(first)
    expect(await verdictOf(rule)).toBe('not_seen')
    await beside.reader.cancel()
  })

  test('only the same stream is a resumption', async () => {
    await readEventAndClose(await openStream('?type=category.created'))
    passTime()
    await (await openStream('?type=order.placed')).reader.cancel()
    expect(await verdictOf(rule)).toBe('not_seen')
    await (await openStream('?type=category.created')).reader.cancel()
    expect(await verdictOf(rule)).toBe('failed')
  })
})

test('after a 412, a HEAD reads the resource too', async () => {
  const edit = (etag: string) => send('PATCH', '/pets/1', { name: 'Max' }, { 'If-Match': etag })
  expect((await edit('"old"')).status).toBe(412)
  const { headers } = await send('HEAD', '/pets/1/profile')
  expect((await edit(headers.get('etag') ?? '')).status).toBe(200)
  expect(await verdictOf('edits_conditionally')).toBe('passed')
})
