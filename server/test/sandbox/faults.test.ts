import { afterAll, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import net from 'node:net'
import { failureOf } from '../harness/failure-of.ts'
import { sendJson, startTestHost, type TestSandbox } from '../harness/sandbox.ts'
import { newDirectory } from '../harness/scratch.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const setFaults = async ({ send }: TestSandbox, ...rules: object[]) => {
  const { status, body } = await send('PUT', '/_sandbox/faults', { rules })
  if (status !== 200) throw new Error(JSON.stringify(body))
}

/** Sends a request over a bare socket, which does not retry, and returns every byte of the response. */
const sendRaw = ({ url, apiKey }: TestSandbox, method: string, path: string, body = '', more = ''): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port, pathname } = new URL(url)
    let received = ''
    const socket = net.connect(Number(port), hostname, () => {
      const head = `${method} ${pathname}${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-API-Key: ${apiKey}\r\nConnection: close\r\n`
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`)
    })
    socket.on('data', (data) => {
      received += data
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })

test.each([
  ['unavailable', 503, { 'retry-after': '1' }],
  ['503', 503, { 'retry-after': '1' }],
  ['rate_limited', 429, { 'x-ratelimit-remaining': '0' }],
  ['quota_exhausted', 429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '10000000' }],
  ['key_banned', 429, { 'retry-after': '120', 'x-ratelimit-remaining': '0' }],
  ['invalid_api_key', 401, { 'www-authenticate': expect.stringContaining('Bearer') }],
  ['insufficient_scope', 403, {}],
  ['404', 404, {}],
  ['internal_error', 500, {}],
])('Prefer: code=%s gives that response, as the service would', async (code, status, headers) => {
  const { send } = host.ready
  const response = await send('GET', '/pets/1/profile', undefined, { Prefer: `code=${code}` })
  expect([response.status, response.body.status]).toEqual([status, status])
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...headers,
    'x-request-id': response.body.requestId,
    'ratelimit-policy': expect.any(String),
  })
  if (status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('outcome_unknown is a response to what was done, and to nothing that is rejected', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { fault: 'outcome_unknown' })
  const place = (petId: number) =>
    sandbox.send('POST', '/store/orders', { petId }, { 'Idempotency-Key': `order ${petId}` })
  const lost = await place(1)
  expect([lost.status, lost.body.code, lost.headers.get('retry-after')]).toEqual([503, 'outcome_unknown', '1'])
  expect((await place(999)).body.code).toBe('unknown_pet')
  expect((await sandbox.send('GET', '/pets')).status).toBe(200)
  await setFaults(sandbox, { fault: 'outcome_unknown', retryAfterSeconds: 30 })
  for (const body of [{ petId: 999 }, { petId: 'one' }]) {
    const rejected = await sandbox.send('POST', '/store/orders', body)
    expect([rejected.status >= 400, rejected.headers.get('retry-after')]).toEqual([true, null])
  }
  const { data } = (await sandbox.send('GET', '/_sandbox/requests')).body
  expect(data.map(({ fault }: { fault?: string }) => fault)).toEqual([...Array(4), 'outcome_unknown'])
  await setFaults(sandbox)
  const again = await place(1)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
})

test('Prefer gives the documented example of a success, and rejects what is not declared', async () => {
  const { send } = host.ready
  const example = await send('POST', '/pets', { any: 'body' }, { Prefer: 'code=201' })
  expect([example.status, example.body]).toMatchObject([201, { name: expect.any(String), id: expect.any(Number) }])
  expect((await send('DELETE', '/pets/1', undefined, { Prefer: 'code=204' })).status).toBe(204)
  expect((await send('GET', '/pets/1/profile')).status).toBe(200)
  for (const code of ['418', '201', 'order_complete', 'nonsense']) {
    const { status, body } = await send('GET', '/pets/1/profile', undefined, { Prefer: `code=${code}` })
    expect([code, status, body.errors?.[0].path]).toEqual([code, 400, '/Prefer'])
  }
  expect((await send('GET', '/pets/1/profile', undefined, { Prefer: 'respond-async' })).status).toBe(200)
  expect((await send('GET', '/pets', undefined, { Prefer: 'code=503', 'X-API-Key': 'wrong' })).status).toBe(401)
})

test('a rule affects its operation as often as it says', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { operation: 'placeOrder', fault: 'unavailable', times: 2 })
  const place = async () => (await sandbox.send('POST', '/store/orders', { petId: 1 })).status
  expect((await sandbox.send('GET', '/pets')).status).toBe(200)
  expect([await place(), await place(), await place()]).toEqual([503, 503, 201])
  expect((await sandbox.send('GET', '/_sandbox/faults')).body.rules[0].times).toBe(0)
  expect((await sandbox.send('GET', '/store/orders?petId=1&complete=false')).body).toHaveLength(1)
})

test('rules are chosen by method, path, time and rate', async () => {
  const sandbox = await host.create({ seed: 'rules' })
  const statuses = (path: string, times = 1) =>
    Promise.all(Array.from({ length: times }, async () => (await sandbox.send('GET', path)).status))
  await setFaults(sandbox, { path: '/pets/{petId}/profile', fault: 'internal_error' })
  expect(await statuses('/pets/1/profile')).toEqual([500])
  expect(await statuses('/pets/1')).toEqual([200])
  await setFaults(sandbox, { path: '/pets/2/profile', fault: 'pet_not_found' })
  expect([await statuses('/pets/1/profile'), await statuses('/pets/2/profile')]).toEqual([[200], [404]])
  // Only operations that declare the code.
  await setFaults(sandbox, { fault: 'order_not_found', method: 'GET' })
  expect([await statuses('/pets'), await statuses('/store/orders/1')]).toEqual([[200], [404]])
  const from = new Date(host.clock.now() + 60_000).toISOString()
  await setFaults(sandbox, { fault: 'unavailable', from, until: new Date(Date.parse(from) + 60_000).toISOString() })
  expect(await statuses('/pets')).toEqual([200])
  await sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 60 })
  expect(await statuses('/pets')).toEqual([503])
  await sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 60 })
  expect(await statuses('/pets')).toEqual([200])
  await setFaults(sandbox, { fault: 'unavailable', rate: 0.3 })
  const failed = (await statuses('/pets', 200)).filter((status) => status === 503).length
  expect(failed).toBeWithin(30, 90)
})

test('a rate affects the same requests whether or not the sandbox was closed meanwhile', async () => {
  const struck = async (isClosed: boolean) => {
    const sandbox = await host.create({ seed: 'rate' })
    await setFaults(sandbox, { fault: 'unavailable', rate: 0.5 })
    const statuses: number[] = []
    while (statuses.length < 24) {
      if (isClosed && statuses.length === 12) {
        host.clock.advance(61_000)
        await host.sweep()
      }
      statuses.push((await sandbox.send('GET', '/pets/1/profile')).status)
    }
    return statuses
  }
  const steady = await struck(false)
  expect(new Set(steady)).toEqual(new Set([200, 503]))
  expect(await struck(true)).toEqual(steady)
})

test('clients with other keys, which write the same call in another way, get the same faults', async () => {
  const sandbox = await host.create({ seed: 'exam' })
  const keyOf = async (name: string) =>
    (await sandbox.send('POST', '/keys', { name, plan: 'pro', preset: 'admin' })).body.secret
  const take = async (write: (name: string) => string, key: string) => {
    await setFaults(sandbox, { operation: 'createCategory', fault: 'internal_error', rate: 0.5 })
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const names = Array.from({ length: 20 }, (_, index) => `Owls ${index}`)
    const post = (name: string) => fetch(`${sandbox.url}/categories`, { method: 'POST', headers, body: write(name) })
    return (await Promise.all(names.map(post))).map(({ status }) => status === 500)
  }
  const inJavaScript = await take((name) => JSON.stringify({ name, description: '' }), await keyOf('Till'))
  const inPython = await take((name) => `{"description": "", "name": "${name}"}`, await keyOf('Stock'))
  expect(new Set(inJavaScript).size).toBe(2)
  expect(inPython).toEqual(inJavaScript)
})

test('a cut connection sends no bytes: before the effect, or after it', async () => {
  const sandbox = await host.create()
  const order = JSON.stringify({ petId: 1 })
  const countOrders = async () => (await sandbox.send('GET', '/store/orders?petId=1&complete=false')).body.length
  await setFaults(sandbox, { operation: 'placeOrder', fault: 'cut', times: 1 })
  expect(await sendRaw(sandbox, 'POST', '/store/orders', order)).toBe('')
  expect(await countOrders()).toBe(0)
  await setFaults(sandbox, { operation: 'placeOrder', fault: 'cut_after', times: 1 })
  expect(await sendRaw(sandbox, 'POST', '/store/orders', order, 'Idempotency-Key: lost\r\n')).toBe('')
  expect(await countOrders()).toBe(1)
  const again = await sendRaw(sandbox, 'POST', '/store/orders', order, 'Idempotency-Key: lost\r\n')
  expect(again).toContain('Idempotent-Replayed: true')
  expect(await countOrders()).toBe(1)
})

test('HEAD is not cut, and is recorded as it was sent', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { fault: 'cut', times: 1 }, { fault: 'cut_after', times: 1 })
  expect(await sendRaw(sandbox, 'HEAD', '/pets')).toStartWith('HTTP/1.1 200 OK')
  const [{ status, fault }] = (await sandbox.send('GET', '/_sandbox/requests')).body.data
  expect([status, fault]).toEqual([200, undefined])
  // The rules are left for requests that can be cut.
  expect([await sendRaw(sandbox, 'GET', '/pets'), await sendRaw(sandbox, 'GET', '/pets')]).toEqual(['', ''])
})

test('a slow rule only waits', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { operation: 'listPets', fault: 'slow', latencyMs: 200, times: 1 })
  const startedAt = performance.now()
  const slow = sandbox.send('GET', '/pets').then(({ status }) => [status, performance.now() - startedAt >= 200])
  const quick = sandbox.send('GET', '/categories').then(() => 'quick')
  expect(await Promise.race([slow, quick])).toBe('quick')
  expect(await slow).toEqual([200, true])
})

test('a fault counts as the real error does', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  const before = (await sandbox.send('GET', '/limits')).body.windows[0].remaining
  await sandbox.send('GET', '/pets', undefined, { Prefer: 'code=503' })
  expect((await sandbox.send('GET', '/limits')).body.windows[0].remaining).toBe(before - 1)
  await sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 5 })
  const { body } = await sandbox.send('GET', '/usage')
  expect(body.at(-1)).toMatchObject({ errors: 1 })
})

test.each([
  [{ fault: 'nonsense' }, '/rules/0/fault'],
  [{ fault: 'slow' }, '/rules/0/latencyMs'],
  [{ fault: 'slow', latencyMs: 60_001 }, '/rules/0/latencyMs'],
  [{ operation: 'flyToTheMoon', fault: 'cut' }, '/rules/0/operation'],
  [{ operation: 'listPets', fault: 'order_complete' }, '/rules/0/fault'],
  [{ fault: 'cut', rate: 2 }, '/rules/0/rate'],
  [{ fault: 'cut', rate: 1, times: 1 }, '/rules/0/times'],
  [{ fault: 'cut', from: 'soon' }, '/rules/0/from'],
  [{ fault: 'cut', from: '2026-11-16T00:00:00Z', until: '2026-11-16T00:00:00Z' }, '/rules/0/until'],
  [{ fault: 'cut', operation: 'placeOrder', method: 'GET' }, '/rules/0/method'],
  [{ fault: 'cut', operation: 'placeOrder', path: '/pets' }, '/rules/0/path'],
  [{ fault: 'cut', path: '/pet' }, '/rules/0/path'],
  [{ fault: 'cut', path: '/pets?limit=1' }, '/rules/0/path'],
  [{ fault: 'cut', path: '/pets/1/profile?limit=1' }, '/rules/0/path'],
  [{ fault: 'cut', path: '/pets/1/profile', method: 'PUT' }, '/rules/0/path'],
  [{ fault: 'order_not_found', path: '/pets' }, '/rules/0/fault'],
  [{ fault: 'slow_before' }, '/rules/0/latencyMs'],
  [{ fault: 'cut', retryAfterSeconds: 1 }, '/rules/0/retryAfterSeconds'],
  [{ fault: 'unavailable', retryAfterSeconds: -1 }, '/rules/0/retryAfterSeconds'],
  [{ fault: 'unavailable', retryAfterDate: true }, '/rules/0/retryAfterDate'],
  [{ fault: 'cut', nth: 0 }, '/rules/0/nth'],
  [{ fault: 'cut', header: { 'not a name': '1' } }, '/rules/0/header/not a name'],
  [{ fault: 'cut', header: {} }, '/rules/0/header'],
  [{ fault: 'cut', operation: 'listPets', body: { petId: 1 } }, '/rules/0/body'],
])('the rule %j is rejected', async (rule, path) => {
  const { status, body } = await host.ready.send('PUT', '/_sandbox/faults', { rules: [rule] })
  expect([status, body.errors[0].path]).toEqual([400, path])
})

test('the error about an impossible rule names everything wrong with it, and that about an unknown fault lists all faults', async () => {
  const impossible = { operation: 'listPet', fault: 'slow', rate: 1, times: 1, retryAfterSeconds: 1 }
  const { body } = await host.ready.send('PUT', '/_sandbox/faults', { rules: [{ fault: 'cut' }, impossible] })
  const fields = ['operation', 'times', 'latencyMs', 'retryAfterSeconds']
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(fields.map((field) => `/rules/1/${field}`))
  const unknown = await host.ready.send('PUT', '/_sandbox/faults', { rules: [{ fault: 'brake' }] })
  for (const fault of ['unavailable', 'cut', 'cut_after', 'cut_body', 'slow', 'slow_before'])
    expect(unknown.body.errors[0].message).toContain(fault)
})

test('a rule can set Retry-After of any error', async () => {
  const sandbox = await host.create()
  for (const fault of ['unavailable', 'rate_limited', 'internal_error']) {
    await setFaults(sandbox, { fault, retryAfterSeconds: 7 })
    expect([fault, (await sandbox.send('GET', '/pets')).headers.get('retry-after')]).toEqual([fault, '7'])
  }
})

test('a simulated limit shows that nothing is left until it resets, also in the first response to a key', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  await setFaults(sandbox, { fault: 'rate_limited', retryAfterSeconds: 300 })
  const { headers } = await sandbox.send('GET', '/pets')
  const at = Date.parse((await sandbox.send('GET', '/_sandbox/clock')).body.at)
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(at / 1000) + 300),
    ratelimit: expect.stringContaining('"minute";r=0;t=300,'),
  })
})

test('rules are chosen by headers and fields of the body', async () => {
  const sandbox = await host.create()
  const statusOf = async (body: object, headers = {}) =>
    (await sandbox.send('POST', '/categories', body, headers)).status
  await setFaults(sandbox, { fault: 'unavailable', header: { 'X-Scenario': 'outage' } })
  expect(await statusOf({ name: 'Owls' }, { 'x-scenario': 'outage' })).toBe(503)
  expect([await statusOf({ name: 'Owls' }, { 'x-scenario': 'calm' }), await statusOf({ name: 'Owls' })]).toEqual([
    201, 201,
  ])
  await setFaults(sandbox, { fault: 'internal_error', body: { name: 'Cats' } })
  expect([await statusOf({ name: 'Cats' }), await statusOf({ name: 'Dogs' })]).toEqual([500, 201])
  expect(await sandbox.send('GET', '/pets')).toMatchObject({ status: 200 })
  await setFaults(sandbox, { fault: 'unavailable', body: { '/0/name': 'Rex' } })
  const batch = (name: string) => sandbox.send('POST', '/pets/batch', [{ name, categoryId: 1 }])
  expect([(await batch('Rex')).status, (await batch('Ada')).status]).toEqual([503, 201])
  // The operation itself still says what is wrong with a body.
  expect(await statusOf([])).toBe(400)
  const asText = await sandbox.send('POST', '/categories', { name: 'Owls' }, { 'Content-Type': 'text/plain' })
  expect(asText.status).toBe(415)
})

test('clients that send the same calls in another order get the same faults', async () => {
  const rules = [
    { operation: 'createCategory', fault: 'unavailable', nth: 1 },
    { operation: 'createCategory', fault: 'internal_error', rate: 0.5 },
  ]
  const names = ['Owls', 'Bats', 'Cats', 'Dogs', 'Elks', 'Foxes', 'Gnus', 'Hens']
  /** The statuses of each call until it succeeds. */
  const callOf = async ({ send }: TestSandbox, name: string) => {
    const statuses: number[] = []
    // A client that sends a new key each time gets the same faults as any other.
    const key = () => ({ 'Idempotency-Key': `${name} ${statuses.length}` })
    while (statuses.at(-1) !== 201) statuses.push((await send('POST', '/categories', { name }, key())).status)
    return [name, statuses] as const
  }
  const [one, other] = [await host.create({ seed: 'exam' }), await host.create({ seed: 'exam' })]
  await setFaults(one, ...rules)
  await setFaults(other, ...rules)
  const inTurn: (readonly [string, number[]])[] = []
  for (const name of names.toReversed()) {
    inTurn.push(await callOf(one, name))
    // Closing it does not change what comes.
    if (name === 'Dogs') {
      host.clock.advance(61_000)
      await host.sweep()
    }
  }
  const atOnce = await Promise.all(names.map((name) => callOf(other, name)))
  expect(Object.fromEntries(inTurn)).toEqual(Object.fromEntries(atOnce))
  expect(atOnce.every(([, [first]]) => first === 503)).toBe(true)
  expect(new Set(atOnce.map(([, statuses]) => statuses.length)).size).toBeGreaterThan(1)
})

test('a sandbox has at most 50 rules', async () => {
  const rules = Array.from({ length: 51 }, () => ({ fault: 'cut' }))
  expect((await host.ready.send('PUT', '/_sandbox/faults', { rules })).status).toBe(400)
})

test('a fault that closes the connection waits for a request over HTTP: the call of a tool has none of its own', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { operation: 'placeOrder', fault: 'cut_after', times: 1 })
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'place_order', arguments: { petId: 1 } } }
  const { status } = await sandbox.send('POST', '/mcp', call, { Accept: 'application/json, text/event-stream' })
  expect(status).toBe(200)
  expect((await sandbox.send('GET', '/_sandbox/faults')).body.rules).toMatchObject([{ times: 1 }])
  expect(await failureOf(sandbox.send('POST', '/store/orders', { petId: 1 }))).toBeInstanceOf(Error)
})

test('rules that are set again count from the start', async () => {
  const sandbox = await host.create()
  const rule = { operation: 'listCategories', fault: 'unavailable', nth: 2 }
  const statuses = []
  for (let round = 0; round < 2; round++) {
    await setFaults(sandbox, rule)
    for (let count = 0; count < 2; count++) statuses.push((await sandbox.send('GET', '/categories')).status)
  }
  expect(statuses).toEqual([200, 503, 200, 503])
})

test('they do so after a crash, too', async () => {
  const own = await startTestHost()
  const rule = { operation: 'listCategories', fault: 'unavailable', nth: 2 }
  await setFaults(own.ready, rule)
  expect((await own.ready.send('GET', '/categories')).status).toBe(200)
  await own.restart()
  await setFaults(own.ready, rule)
  // What a crash would leave.
  using left = newDirectory()
  cpSync(own.directory, left.path, { recursive: true })
  const next = await startTestHost({ directory: left.path })
  const list = async () =>
    (
      await sendJson('GET', `${next.url}/s/${own.ready.id}/categories`, undefined, {
        'X-API-Key': own.ready.apiKey,
      })
    ).status
  expect([await list(), await list()]).toEqual([200, 503])
  await next.stop()
  await own.stop()
})

test('the attempts of each key are counted apart', async () => {
  const sandbox = await host.create()
  await setFaults(sandbox, { operation: 'listPets', fault: 'unavailable', nth: 1 })
  const { body } = await sandbox.send('POST', '/keys', { name: 'Till', plan: 'free', preset: 'reader' })
  const list = async (key: string) => (await sandbox.send('GET', '/pets', undefined, { 'X-API-Key': key })).status
  for (const key of [sandbox.apiKey, body.secret]) expect([await list(key), await list(key)]).toEqual([503, 200])
})
