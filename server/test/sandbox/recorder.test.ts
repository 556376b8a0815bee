import { afterAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { newSecret } from '../../src/platform/keys/secret.ts'
import type { RecordedRequest } from '../../src/sandbox/recorded.ts'
import { openRequestFile } from '../../src/sandbox/request-file.ts'
import { eventually } from '../harness/eventually.ts'
import { onFreePort } from '../harness/run/free-port.ts'
import { inChunks, startTestHost, type TestSandbox, toSandbox } from '../harness/sandbox.ts'
import { newDirectory } from '../harness/scratch.ts'
import { type Received, startReceiver, verify } from '../platform/webhooks/receiver.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const requestsOf = async ({ send }: TestSandbox): Promise<RecordedRequest[]> =>
  (await send('GET', '/_sandbox/requests')).body.data

test('a request is recorded with its response', async () => {
  const sandbox = await host.create()
  const order = { petId: 1, quantity: 1 }
  const { body, headers } = await sandbox.send('POST', '/store/orders', order, { 'Idempotency-Key': 'k' })
  const [recorded] = await requestsOf(sandbox)
  expect(recorded).toMatchObject({
    id: 1,
    at: new Date(host.clock.now()).toISOString(),
    method: 'POST',
    target: '/store/orders',
    operationId: 'placeOrder',
    headers: { 'idempotency-key': 'k', 'x-api-key': 'ps_…' },
    body: JSON.stringify(order),
    keyId: 1,
    status: 201,
    responseHeaders: { location: headers.get('location') },
    responseBody: JSON.stringify(body),
  })
  expect(recorded?.durationMs).toBeGreaterThan(0)
})

test('a rejected request is recorded too, with the body that no one read', async () => {
  const sandbox = await host.create()
  await sandbox.send('POST', '/pets', { name: 'Rex' }, { 'X-API-Key': 'wrong' })
  await sandbox.send('POST', '/pets', { name: 'Rex' }, { Prefer: 'code=503' })
  await sandbox.send('GET', '/nowhere')
  const recorded = await requestsOf(sandbox)
  expect(recorded.map(({ status, body, fault }) => [status, body, fault])).toEqual([
    [404, undefined, undefined],
    [503, '{"name":"Rex"}', '503'],
    [401, '{"name":"Rex"}', undefined],
  ])
  expect(recorded[2]).not.toHaveProperty('keyId')
})

test('a rejected body is recorded however it was sent, and whatever was wrong with it', async () => {
  const sandbox = await host.create()
  const post = async (body: string | Uint8Array<ArrayBuffer> | ReadableStream, headers: Record<string, string>) => {
    const common = { 'X-API-Key': sandbox.apiKey, 'Content-Type': 'application/json' }
    await fetch(`${sandbox.url}/pets`, { method: 'POST', body, headers: { ...common, ...headers } })
    const [{ status, body: recorded, bodyCut }] = (await requestsOf(sandbox)) as [RecordedRequest]
    return [status, recorded, bodyCut]
  }
  const text = '{"name":"Rex"}'
  const long = JSON.stringify({ name: 'ä'.repeat(100_000) })
  expect(await post(inChunks(text), { Prefer: 'code=503' })).toEqual([503, text, undefined])
  expect(await post(inChunks(text), { 'X-API-Key': 'wrong' })).toEqual([401, text, undefined])
  expect((await requestsOf(sandbox))[0]?.headers['transfer-encoding']).toBe('chunked')
  expect(await post(text, { 'Content-Type': 'text/plain' })).toEqual([415, text, undefined])
  expect(await post(long, { Prefer: 'code=503' })).toEqual([503, long.slice(0, 16_384), true])
  expect(await post(new Uint8Array([0x22, 0xff, 0x22]), {})).toEqual([400, undefined, true])
})

test('a rejection is sent and recorded though the body never arrives', async () => {
  const sandbox = await host.create()
  const { hostname, port, pathname } = new URL(sandbox.url)
  const head = ['Content-Type: application/json', 'X-API-Key: wrong', 'Transfer-Encoding: chunked']
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${pathname}/pets HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${head.join('\r\n')}\r\n\r\n5\r\n{"nam`)
  const [received] = await once(socket, 'data')
  socket.destroy()
  expect(String(received)).toStartWith('HTTP/1.1 401 ')
  expect((await requestsOf(sandbox))[0]).toMatchObject({ status: 401, bodyCut: true })
})

test('no secret is recorded', async () => {
  const sandbox = await host.create()
  const key = await sandbox.send('POST', '/keys', { name: 'Till', plan: 'free', preset: 'reader' })
  const webhook = await sandbox.send('POST', '/webhooks', { url: 'https://example.com/', events: ['*'] })
  await sandbox.send('GET', `/pets?api_key=${sandbox.apiKey}`)
  await sandbox.send('GET', '/pets', undefined, { Authorization: `Bearer ${key.body.secret}`, 'X-API-Key': '' })
  await sandbox.send('GET', '/pets', undefined, { Authorization: 'Basic dXNlcjpzZWNyZXQ=', Cookie: 'session=mine' })
  const { body: har } = await sandbox.send('GET', '/_sandbox/requests.har')
  const text = JSON.stringify([await requestsOf(sandbox), har])
  for (const secret of [sandbox.apiKey, key.body.secret, webhook.body.secret, 'dXNlcjpzZWNyZXQ', 'session=mine']) {
    expect(secret.length).toBeGreaterThan(8)
    expect(text).not.toContain(secret)
  }
  expect(text).toContain('/pets?api_key=ps_…')
  expect(text).toContain('Bearer ps_…')
})

test('no secret is recorded, whatever comes before it and wherever the body is cut', async () => {
  const sandbox = await host.create()
  const key = sandbox.apiKey
  await sandbox.send('GET', `/pets?q=Bearer%20${key}`)
  await sandbox.send('POST', '/categories', { name: `a\n${key}` })
  await sandbox.send('POST', '/categories', { name: `${'x'.repeat(16_384 - 30)}${key}` })
  const recorded = await requestsOf(sandbox)
  expect(JSON.stringify(recorded)).not.toContain(key.slice(0, 12))
  expect(recorded.at(-1)?.target).toBe('/pets?q=Bearer%20ps_…')
  expect(recorded.at(-2)?.body).toBe('{"name":"a\\nps_…"}')
  const { rules } = (await sandbox.send('GET', '/_sandbox/report')).body
  const addresses = rules.find(({ rule }: { rule: string }) => rule === 'credentials')
  expect(addresses.violations.map(({ requests }: { requests: number[] }) => requests)).toEqual([[1]])
})

test('a word that ends like the beginning of a key is recorded, and is no key', async () => {
  const sandbox = await host.create()
  await sandbox.send('GET', '/pets?q=first_steps_of_a_small_and_happy_cat')
  expect((await requestsOf(sandbox))[0]?.target).toBe('/pets?q=first_steps_of_a_small_and_happy_cat')
  expect((await sandbox.send('GET', '/_sandbox/report')).body.failed).toEqual([])
})

test('whoever is told that requests are dropped can still read them', () => {
  using folder = newDirectory()
  const dropped: number[][] = []
  const file = openRequestFile(join(folder.path, 'requests'), (upTo) => dropped.push([upTo, file.readAll().length]))
  for (let id = 1; id <= 2_001; id += 667)
    file.append(Array.from({ length: 667 }, (_, index) => `{"id":${id + index}}`))
  expect(dropped).toEqual([[1_001, 2_001]])
  expect([file.readAll().length, file.lastId()]).toEqual([1_000, 2_001])
})

test('long bodies are cut', async () => {
  const sandbox = await host.create()
  const pets = Array.from({ length: 100 }, () => ({ name: 'x'.repeat(200), categoryId: 1 }))
  await sandbox.send('POST', '/pets/batch', pets)
  const [recorded] = await requestsOf(sandbox)
  expect([recorded?.body?.length, recorded?.bodyCut]).toEqual([16_384, true])
  expect(recorded?.responseBody).toHaveLength(16_384)
})

test('the last 1,000 requests are kept, also over a restart of the host', async () => {
  const sandbox = await host.create()
  for (let round = 0; round < 21; round++) {
    await Promise.all(Array.from({ length: 50 }, () => sandbox.send('GET', '/categories?limit=1')))
  }
  // Also the last of more than it keeps.
  await host.sweep()
  const file = join(host.directory, 'sandboxes', sandbox.id, 'requests.jsonl')
  expect(readFileSync(file, 'utf8')).toContain('\n{"id":1050,')
  const recorded = await requestsOf(sandbox)
  expect([recorded.length, recorded[0]?.id, recorded.at(-1)?.id]).toEqual([1_000, 1_050, 51])
  await host.restart()
  const { body } = await host.send('GET', `/s/${sandbox.id}/_sandbox/requests`)
  expect(body.data).toEqual(recorded)
})

test('a request that a crash left half written is dropped, and what follows is kept', async () => {
  const sandbox = await host.create()
  await sandbox.send('GET', '/pets/1')
  await host.restart()
  const file = join(host.directory, 'sandboxes', sandbox.id, 'requests.jsonl')
  appendFileSync(file, '{"id":2,"headers":{}')
  const { send } = toSandbox({ ...sandbox, url: `${host.url}/s/${sandbox.id}` })
  await send('GET', '/pets/2')
  const { body } = await send('GET', '/_sandbox/requests')
  expect(body.data.map(({ id, target }: RecordedRequest) => [id, target])).toEqual([
    [2, '/pets/2'],
    [1, '/pets/1'],
  ])
})

test('a stream is recorded when it is open, and with its last event when it has ended', async () => {
  const sandbox = await host.create()
  const stream = await fetch(`${sandbox.url}/events/stream`, { headers: { 'X-API-Key': sandbox.apiKey } })
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  expect((await requestsOf(sandbox))[0]).toMatchObject({ operationId: 'streamEvents', durationMs: null, status: 200 })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  await reader.read()
  const [event] = (await sandbox.send('GET', '/events?sort=-id&limit=1')).body
  await reader.cancel()
  const ended = await eventually(async () =>
    (await requestsOf(sandbox)).find(({ operationId, durationMs }) => operationId === 'streamEvents' && durationMs),
  )
  expect(ended.streamLastEventId).toBe(event.id)
})

test('a stream keeps its place among the requests, and ids go on from the highest', async () => {
  const sandbox = await host.create()
  const stream = await fetch(`${sandbox.url}/events/stream`, { headers: { 'X-API-Key': sandbox.apiKey } })
  const idsOf = async () => (await requestsOf(sandbox)).map(({ id }) => id)
  for (const id of [1, 2, 3]) await sandbox.send('GET', `/pets/${id}`)
  expect(await idsOf()).toEqual([4, 3, 2, 1])
  await stream.body?.cancel()
  await eventually(async () => (await requestsOf(sandbox)).every(({ durationMs }) => durationMs !== null))
  expect(await idsOf()).toEqual([4, 3, 2, 1])
  await host.restart()
  const reopened = toSandbox({ ...sandbox, url: `${host.url}/s/${sandbox.id}` })
  for (const id of [4, 5]) await reopened.send('GET', `/pets/${id}`)
  expect((await requestsOf(reopened)).map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1])
})

test('the requests can be exported as HAR', async () => {
  const sandbox = await host.create()
  await sandbox.send('GET', '/pets?limit=1')
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  const { body } = await sandbox.send('GET', '/_sandbox/requests.har')
  expect(body.log.version).toBe('1.2')
  const [read, write] = body.log.entries
  expect(read).toMatchObject({
    request: {
      method: 'GET',
      url: `${sandbox.url}/pets?limit=1`,
      queryString: [{ name: 'limit', value: '1' }],
      bodySize: 0,
    },
    response: { status: 200, content: { mimeType: 'application/json' } },
  })
  const text = '{"name":"Owls"}'
  expect(write.request).toMatchObject({ bodySize: text.length, postData: { mimeType: 'application/json', text } })
})

test('behind a proxy that adds a path, what is recorded is below the address of the sandbox', async () => {
  let port = 0
  const other = await onFreePort((free) => {
    port = free
    const env = { PORT: String(port), BASE_URL: 'https://shops.example/box', ADMIN_API_KEY: newSecret() }
    return startTestHost({ env })
  })
  const { id, url } = other.ready
  const { send } = toSandbox({ ...other.ready, url: `http://127.0.0.1:${port}/s/${id}` })
  await send('GET', '/pets?limit=1')
  expect((await send('GET', '/_sandbox/requests')).body.data[0].target).toBe('/pets?limit=1')
  const { log } = (await send('GET', '/_sandbox/requests.har')).body
  expect(url).toBe(`https://shops.example/box/s/${id}`)
  expect(log.entries[0].request.url).toBe(`${url}/pets?limit=1`)
  await other.stop()
})

test('a forged delivery has a wrong signature, and otherwise looks like any other', async () => {
  const sandbox = await host.create()
  await using receiver = await startReceiver(401)
  const { body: webhook } = await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['*'] })
  const { body } = await sandbox.send('POST', '/_sandbox/forge', { webhookId: webhook.id })
  expect(body).toMatchObject({ forged: true, status: 401, webhookId: webhook.id })
  const [received] = receiver.received
  expect(() => received && verify(webhook.secret, received)).toThrow()
  expect((await sandbox.send('GET', '/_sandbox/deliveries')).body.data[0]).toEqual(body)
  expect((await sandbox.send('POST', '/_sandbox/forge', { webhookId: 99 })).status).toBe(404)
  await sandbox.send('POST', `/webhooks/${webhook.id}/ping`)
  const genuine = await eventually(() => receiver.received[1])
  const namesIn = ({ headers }: Received) => Object.keys(headers).toSorted()
  expect(received && namesIn(received)).toEqual(namesIn(genuine))
  expect(received?.headers['user-agent']).toBe(genuine.headers['user-agent'] as string)
})
