import { afterAll, expect, test } from 'bun:test'
import type { RecordedRequest } from '../../src/sandbox/recorded.ts'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { startTestHost, type TestSandbox } from '../harness/sandbox.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const requestsOf = async ({ send }: TestSandbox): Promise<RecordedRequest[]> =>
  (await send('GET', '/_sandbox/requests')).body.data
const setFaults = (sandbox: TestSandbox, ...rules: object[]) => sandbox.send('PUT', '/_sandbox/faults', { rules })
const ended = ({ received }: RecordedRequest) => received !== 'open'
const orderedPets = async ({ send }: TestSandbox) =>
  (await send('GET', '/store/orders?complete=false')).body.map(({ petId }: { petId: number }) => petId)

/** Longer than any client here waits, and no test waits for its end. */
const longMs = 60_000

const placeWithFetch = ({ url, apiKey }: TestSandbox, signal: AbortSignal) =>
  fetch(`${url}/store/orders`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
    body: '{"petId":1}',
    signal,
  })

/** Returns the exit code, and the status and body that arrived. */
async function runCurl({ url, apiKey }: TestSandbox, path: string, ...words: string[]) {
  const common = ['-s', '-w', '%{stderr}%{http_code}', '-H', `X-API-Key: ${apiKey}`]
  const { exited, stdout, stderr } = Bun.spawn(['curl', ...common, ...words, url + path], { stderr: 'pipe' })
  const [body, status] = await Promise.all([new Response(stdout).text(), new Response(stderr).text()])
  return { code: await exited, status, body }
}

const placeWithCurl = (sandbox: TestSandbox, petId: number, ...words: string[]) =>
  runCurl(sandbox, '/store/orders', '--json', JSON.stringify({ petId }), ...words)

test('a client that received the whole response has received it', async () => {
  const sandbox = await host.create()
  await sandbox.send('POST', '/store/orders', { petId: 1 })
  await sandbox.send('GET', '/pets/1')
  await sandbox.send('HEAD', '/pets')
  expect((await requestsOf(sandbox)).map(({ received, status }) => [received, status])).toEqual([
    ['complete', 200],
    ['complete', 200],
    ['complete', 201],
  ])
})

test.each([
  [
    'fetch',
    async (sandbox: TestSandbox) => String(await failureOf(placeWithFetch(sandbox, AbortSignal.timeout(1_000)))),
  ],
  ['curl', async (sandbox: TestSandbox) => String((await placeWithCurl(sandbox, 1, '--max-time', '1')).code)],
])('a request that %s gave up on is abandoned, and done if only the response was slow', async (_, place) => {
  const sandbox = await host.create()
  await setFaults(sandbox, { operation: 'placeOrder', fault: 'slow', latencyMs: longMs })
  expect(await place(sandbox)).toMatch(/TimeoutError|^28$/)
  const [placed] = await eventually(async () => {
    const recorded = (await requestsOf(sandbox)).filter(({ operationId }) => operationId === 'placeOrder')
    return recorded.every(ended) && recorded
  })
  expect(placed).toMatchObject({ received: 'abandoned', status: null, responseHeaders: {}, fault: 'slow' })
  expect(placed).not.toHaveProperty('responseBody')
  expect(placed?.durationMs).toBeWithin(1, longMs)
  expect(await orderedPets(sandbox)).toContain(1)
})

test('a request that its client gave up on is not done if the effect was slow', async () => {
  const sandbox = await host.create()
  const latencyMs = 3_000
  await setFaults(sandbox, { operation: 'placeOrder', fault: 'slow_before', latencyMs, times: 1 })
  const leave = new AbortController()
  const placed = failureOf(placeWithFetch(sandbox, leave.signal))
  await eventually(async () => (await requestsOf(sandbox)).length === 1)
  leave.abort()
  await placed
  // Sent later with the same delay: when this one is done, the abandoned one would be too.
  await setFaults(sandbox, { operation: 'getPetProfile', fault: 'slow_before', latencyMs, times: 1 })
  await sandbox.send('GET', '/pets/1/profile')
  expect(await orderedPets(sandbox)).not.toContain(1)
  expect((await requestsOf(sandbox)).at(-1)).toMatchObject({ received: 'abandoned', status: null })
})

test('a request without a response yet is open, in its place', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { operation: 'listPets', fault: 'slow', latencyMs: longMs, times: 1 })
  const leave = new AbortController()
  const { url, apiKey: key } = sandbox
  const slow = failureOf(fetch(`${url}/pets`, { headers: { 'X-API-Key': key }, signal: leave.signal }))
  await eventually(async () => (await requestsOf(sandbox)).length === 1)
  await sandbox.send('GET', '/categories')
  const [quick, open] = await requestsOf(sandbox)
  expect([quick?.id, quick?.received]).toEqual([2, 'complete'])
  expect(open).toMatchObject({
    id: 1,
    received: 'open',
    status: null,
    durationMs: null,
    target: '/pets',
    fault: 'slow',
  })
  leave.abort()
  await slow
  await eventually(async () => (await requestsOf(sandbox)).every(ended))
})

test('a cut response is recorded as far as it was sent', async () => {
  const sandbox = await host.create()
  const cuts = ['cut', 'cut_after', 'cut_body']
  await setFaults(sandbox, ...cuts.map((fault) => ({ operation: 'placeOrder', fault, times: 1 })))
  const runs = [await placeWithCurl(sandbox, 1), await placeWithCurl(sandbox, 2), await placeWithCurl(sandbox, 1)]
  expect(runs.map(({ code }) => code)).not.toContain(0)
  expect(runs.map(({ status }) => status)).toEqual(['000', '000', '201'])
  const [body, after, before] = await requestsOf(sandbox)
  expect([before?.status, after?.status, body?.status]).toEqual([null, null, 201])
  expect([before?.received, after?.received, body?.received]).toEqual(['cut', 'cut', 'cut'])
  expect(body?.responseBody).toMatch(/^\{"id":\d.*[^}]$/)
  expect(runs.map((run) => run.body)).toEqual(['', '', body?.responseBody as string])
  expect(body?.responseHeaders.location).toContain('/store/orders/')
  expect(await orderedPets(sandbox)).toEqual(expect.arrayContaining([1, 2]))
})

test('a stream is abandoned by the client that closes it, and cut by a fault', async () => {
  const sandbox = await host.create()
  const follow = () => fetch(`${sandbox.url}/events/stream`, { headers: { 'X-API-Key': sandbox.apiKey } })
  const stream = await follow()
  await stream.body?.cancel()
  await setFaults(sandbox, { operation: 'streamEvents', fault: 'cut_body', times: 1 })
  const reading = failureOf((await follow()).text())
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  await reading
  const streams = await eventually(async () => {
    const recorded = (await requestsOf(sandbox)).filter(({ operationId }) => operationId === 'streamEvents')
    return recorded.every(ended) && recorded
  })
  expect(streams.map(({ received, status }) => [received, status])).toEqual([
    ['cut', 200],
    ['abandoned', 200],
  ])
})

test('HAR says what the client received', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { operation: 'listPets', fault: 'cut', times: 1 })
  await runCurl(sandbox, '/pets')
  await sandbox.send('GET', '/pets')
  const { log } = (await sandbox.send('GET', '/_sandbox/requests.har')).body
  expect(log.entries.map(({ comment }: { comment: string }) => comment)).toEqual([
    'received: cut, fault: cut',
    'received: complete',
  ])
})
