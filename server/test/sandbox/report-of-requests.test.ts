import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import type { RecordedRequest } from '../../src/sandbox/recorded.ts'
import { petShop } from '../../src/shop/index.ts'
import { eventually } from '../harness/eventually.ts'
import { inChunks, startTestHost, type TestSandbox } from '../harness/sandbox.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

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

/** Creates a category and waits until the stream, which is cut after its event, has ended. */
async function readEventUntilCut({ reader }: Awaited<ReturnType<typeof openStream>>) {
  await send('POST', '/categories', { name: `Owls ${aheadMs}` })
  while (!(await reader.read().catch(() => ({ done: true }))).done);
}

async function verdictOf(rule: string): Promise<string> {
  const { rules } = (await sandbox.send('GET', '/_sandbox/report')).body
  return rules.find((result: { rule: string }) => result.rule === rule).verdict
}

test('the console, or another page of the host, is not the client of the same key', async () => {
  await fail({ fault: 'rate_limited', retryAfterSeconds: 30 })
  await send('GET', '/pets')
  passTime(4_000)
  await send('GET', '/pets?limit=1', undefined, { 'Sec-Fetch-Site': 'same-origin' })
  expect(await verdictOf('retry-after')).not.toBe('failed')
  passTime(30_000)
  await send('GET', '/pets')
  expect(await verdictOf('retry-after')).toBe('passed')
})

test('a request that is rejected uses up no fault that needs an effect', async () => {
  await fail({ operation: 'placeOrder', fault: 'outcome_unknown' })
  expect((await send('POST', '/store/orders', {})).status).toBe(400)
  expect((await send('POST', '/store/orders', { petId: 23 })).body.code).toBe('outcome_unknown')
  expect((await send('POST', '/store/orders', { petId: 23 })).status).toBe(201)
})

test('the receiver of the guide may reject what is signed for tomorrow, when the clock was moved there', async () => {
  await using receiver = await startReceiver()
  receiver.response = ({ headers }, response) => {
    const isFresh = Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp'])) < 300
    response.writeHead(isFresh ? 204 : 400).end()
  }
  await send('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
  await advance(86_400)
  await send('POST', '/categories', { name: 'Owls' })
  await advance(3_600)
  await eventually(() => receiver.received.length >= 2)
  await eventually(async () => (await sandbox.send('GET', '/_sandbox/deliveries')).body.data.length >= 2)
  expect(await verdictOf('webhooks')).toBe('not_seen')
})

describe('rejections', () => {
  const rule = 'rejections'

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
    expect([await verdictOf('retries'), await verdictOf('repeats')]).toEqual(['passed', 'passed'])
  })

  test('the same request again and again fails', async () => {
    for (const _ of [1, 2, 3, 4]) await send('GET', '/pets?limit=0')
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
    expect((await send('POST', '/pets/batch', [...pets, { name: 'Rex', categoryId: 0 }])).status).toBe(422)
    expect((await send('POST', '/pets/batch', [...pets, { name: 'Rex', categoryId: 1 }])).status).toBe(201)
    expect(await verdictOf(rule)).toBe('passed')
  })

  test('a HEAD that waits after 429 passes', async () => {
    await fail({ fault: 'rate_limited' })
    expect((await send('HEAD', '/pets')).status).toBe(429)
    passTime(60_000)
    expect((await send('HEAD', '/pets')).status).toBe(200)
    expect([await verdictOf(rule), await verdictOf('retry-after')]).toEqual(['not_seen', 'passed'])
  })

  test('a day later by the clock of the sandbox, the same request is a new one', async () => {
    await send('GET', '/pets/999/profile')
    await fail({ operation: 'createCategory', fault: 'unavailable' })
    await send('POST', '/categories', { name: 'Owls' })
    await advance(86_400)
    await send('GET', '/pets/999/profile')
    await send('POST', '/categories', { name: 'Owls' })
    expect([await verdictOf(rule), await verdictOf('repeats')]).toEqual(['passed', 'not_seen'])
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
  expect(await verdictOf('bans')).toBe('passed')
  await advance(2)
  await sendMany(32)
  expect(await verdictOf('bans')).toBe('failed')
})

test('Retry-After as a date is read by the clock of the sandbox, or from the Date of the response', async () => {
  const date = { operation: 'getPetProfile', fault: 'unavailable', retryAfterSeconds: 30, retryAfterDate: true }
  const read = () => send('GET', '/pets/1/profile')
  await sandbox.send('PUT', '/_sandbox/faults', { rules: [{ ...date, times: 2 }] })
  const { headers } = await read()
  const waitMs = Date.parse(headers.get('retry-after') ?? '') - Date.parse(headers.get('date') ?? '')
  expect(waitMs).toBe(30_000)
  await read()
  await read()
  expect(await verdictOf('retry-after')).toBe('failed')

  await sandbox.send('POST', '/_sandbox/reset', {})
  await sandbox.send('PUT', '/_sandbox/faults', { rules: [{ ...date, times: 1 }] })
  await read()
  passTime(waitMs)
  await read()
  expect(await verdictOf('retry-after')).toBe('passed')
})

test('a client that got no response has not been told of a deprecation', async () => {
  await fail({ operation: 'getPet', fault: 'cut' })
  // A new connection, so that the lost request is not sent again automatically.
  const lost = fetch(`${sandbox.url}/pets/1`, { headers: { ...shownKey(), Connection: 'close' }, keepalive: false })
  expect(await lost.then(({ status }) => status).catch(() => 'lost')).toBe('lost')
  await send('GET', '/pets/1')
  expect(await verdictOf('deprecation')).toBe('not_seen')
  await send('GET', '/pets/1/profile')
  expect(await verdictOf('deprecation')).toBe('passed')
  await send('GET', '/pets/1')
  expect(await verdictOf('deprecation')).toBe('failed')
})

describe('resumes streams', () => {
  const rule = 'streams'

  test('a stream beside another one is no resumption, however the clock of the sandbox moved', async () => {
    const first = await openStream()
    await advance(3_600)
    const beside = await openStream()
    await readEventAndClose(first)
    expect(await verdictOf(rule)).toBe('not_seen')
    await beside.reader.cancel()
  })

  test('only the same stream is a resumption, and one that its client closed needs none', async () => {
    await readEventAndClose(await openStream('?type=category.created'))
    passTime()
    await (await openStream('?type=category.created')).reader.cancel()
    expect(await verdictOf(rule)).toBe('not_seen')
    await fail({ operation: 'streamEvents', fault: 'cut_body' })
    await readEventUntilCut(await openStream('?type=category.created'))
    passTime()
    await (await openStream('?type=order.placed')).reader.cancel()
    passTime(10_000)
    expect(await verdictOf(rule)).toBe('not_seen')
    await (await openStream('?type=category.created')).reader.cancel()
    expect(await verdictOf(rule)).toBe('failed')
  })

  test('an id that no event has resumes nothing', async () => {
    await fail({ operation: 'streamEvents', fault: 'cut_body' })
    await readEventUntilCut(await openStream())
    passTime()
    await (await openStream('', { 'Last-Event-ID': 'evt_nonsense' })).reader.cancel()
    expect(await verdictOf(rule)).toBe('failed')
  })
})

test.each([
  '?authorization=Bearer%20{key}',
  '?token=abcdefgh',
  '?api%5Fkey=nonsense',
  '?name=whsec_abcdefghijklmnop',
  '?name={key}',
])('a credential in %s fails, however it is written', async (query) => {
  await send('GET', `/pets${query.replace('{key}', sandbox.apiKey)}`)
  expect(await verdictOf('credentials')).toBe('failed')
})

test('no parameter of the API counts as a credential, nor does the token of a page', async () => {
  const names = petShop.operations.flatMap(({ query }) =>
    query instanceof z.ZodObject ? Object.keys(query.shape) : [],
  )
  names.push('pageToken', 'next_page_token', 'continuation-token')
  for (const name of new Set(names)) await send('GET', `/pets?${name}=abcdefgh&token=`)
  expect(names.length).toBeGreaterThan(10)
  expect(await verdictOf('credentials')).toBe('passed')
})

test('after a 412, a HEAD reads the resource too', async () => {
  const edit = (etag: string) => send('PATCH', '/pets/1', { name: 'Max' }, { 'If-Match': etag })
  expect((await edit('"old"')).status).toBe(412)
  const { headers } = await send('HEAD', '/pets/1/profile')
  expect((await edit(headers.get('etag') ?? '')).status).toBe(200)
  expect(await verdictOf('conditions')).toBe('passed')
})
