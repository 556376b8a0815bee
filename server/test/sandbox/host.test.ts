import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { displayPrefix, newSecret } from '../../src/platform/keys/secret.ts'
import { eventually } from '../harness/eventually.ts'
import { startTestHost, toSandbox } from '../harness/sandbox.ts'
import { newDirectory } from '../harness/scratch.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

const host = await startTestHost()
afterAll(() => host.stop())

test('a sandbox is a whole shop at its own address', async () => {
  const { url, ready } = host
  expect(ready.url).toStartWith(`${url}/s/`)
  const { body: pets, headers } = await ready.send('GET', '/pets?limit=2')
  expect(pets).toHaveLength(2)
  expect(headers.get('link')).toStartWith(`<${ready.url}/pets?limit=2&cursor=`)
  expect((await ready.send('GET', '/openapi.json')).body.servers[0].url).toBe(ready.url)
  expect((await ready.send('POST', '/categories', { name: 'Owls' })).headers.get('location')).toStartWith(ready.url)
  for (const path of ['', '/', '/docs', '/console', '/console/pets', '/errors', '/status', '/llms.txt', '/readyz']) {
    expect([path, (await ready.send('GET', path)).status]).toEqual([path, 200])
  }
  const { body } = await ready.send('GET', '/nothing')
  expect([body.code, body.docs]).toEqual(['route_not_found', `${ready.url}/errors#route_not_found`])
  expect((await ready.send('PROPFIND', '/pets')).headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
  expect((await ready.send('GET', '/pets/abc/profile')).body.errors[0].path).toBe('/petId')
})

test('a sandbox whose files cannot be written is rejected, and not listed; the log says why', async () => {
  let log = ''
  const other = await startTestHost({ log: (text) => (log += text) })
  rmSync(join(other.directory, 'prepared'), { recursive: true })
  expect((await other.send('POST', '/sandboxes', {})).status).toBe(500)
  expect((await other.send('GET', '/sandboxes')).body.data).toHaveLength(1)
  expect(readdirSync(join(other.directory, 'sandboxes'))).toEqual([other.ready.id])
  await other.stop()
  expect(log).toMatch(/"level":"error".*"request failed".*ENOENT/)
})

test.each([
  ['PUT', '/sandboxes', 'GET, HEAD, POST'],
  ['GET', '/sandboxes/any', 'DELETE'],
  ['DELETE', '/s/:id/_sandbox/clock', 'GET, HEAD, PUT'],
])('%s %s is not allowed, and says what is', async (method, path, allow) => {
  const { status, headers, body } = await host.send(method, path.replace(':id', host.ready.id))
  expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', allow])
})

test('HEAD is handled like GET at every path of the host', async () => {
  for (const path of [
    '/',
    '/healthz',
    '/sandboxes',
    `/s/${host.ready.id}/_sandbox/report`,
    '/s/none/_sandbox/report',
  ]) {
    const [head, get] = [await host.send('HEAD', path), await host.send('GET', path)]
    expect([path, head.status, head.body]).toEqual([path, get.status, ''])
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type') ?? 'none')
  }
})

test('two sandboxes share nothing', async () => {
  const [one, other] = await Promise.all([host.create({ data: 'empty' }), host.create({ data: 'empty' })])
  await one.send('POST', '/categories', { name: 'Owls' })
  expect((await one.send('GET', '/categories')).body).toHaveLength(1)
  expect((await other.send('GET', '/categories')).body).toEqual([])
  expect((await other.send('GET', '/categories', undefined, { 'X-API-Key': one.apiKey })).status).toBe(401)
  const requests = (await other.send('GET', '/_sandbox/requests')).body.data
  expect(requests.map(({ method }: { method: string }) => method)).toEqual(['GET', 'GET'])
})

test('the host lists its sandboxes, and ends one', async () => {
  const { id, url, seed, apiKey, expiresAt } = await host.create({ name: 'My test', seed: 'listed' })
  const { body } = await host.send('GET', '/sandboxes')
  const shown = body.data.find((sandbox: { id: string }) => sandbox.id === id)
  expect(shown).toMatchObject({ id, name: 'My test', url, seed: 'listed', apiKey, expiresAt })
  expect(seed).toBe('listed')
  expect((await host.send('DELETE', `/sandboxes/${id}`)).status).toBe(204)
  expect((await host.send('GET', `/s/${id}/pets`)).body.code).toBe('sandbox_not_found')
  expect((await host.send('DELETE', `/sandboxes/${id}`)).status).toBe(404)
  expect((await host.send('GET', `/s/${id}/_sandbox/clock`)).status).toBe(404)
  expect(existsSync(join(host.directory, 'sandboxes', id))).toBeFalse()
})

test('a sandbox ends when its lifetime does', async () => {
  const brief = await host.create({ lifetimeSeconds: 60 })
  expect(Date.parse(brief.expiresAt) - host.clock.now()).toBe(60_000)
  host.clock.advance(59_000)
  await host.sweep()
  expect((await brief.send('GET', '/pets')).status).toBe(200)
  host.clock.advance(1_000)
  await host.sweep()
  expect((await brief.send('GET', '/pets')).status).toBe(404)
})

test('of more than 32 sandboxes those that were used least recently are closed', async () => {
  const own = await startTestHost()
  const ids = [own.ready.id]
  const use = (id: string) => own.inside.use(id, async () => undefined)
  for (let count = 1; count <= 33; count++) {
    own.clock.advance(1)
    ids.push((await own.create({ data: 'empty' })).id)
  }
  own.clock.advance(1)
  await use(own.ready.id)
  own.clock.advance(2_000)
  await own.sweep()
  const isOpen = (id: string) => readdirSync(join(own.directory, 'sandboxes', id)).includes('shop.db-pid')
  expect(ids.filter((id) => !isOpen(id))).toEqual(ids.slice(1, 3))
  await own.stop()
})

test('an idle sandbox is closed after a minute and opened by the next request, with all that was in it', async () => {
  const sandbox = await host.create()
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  const isOpen = () => readdirSync(join(host.directory, 'sandboxes', sandbox.id)).includes('shop.db-pid')
  host.clock.advance(59_000)
  await host.sweep()
  expect(isOpen()).toBeTrue()
  host.clock.advance(1_000)
  await host.sweep()
  expect(isOpen()).toBeFalse()
  expect((await sandbox.send('GET', '/categories?q=owls')).body).toHaveLength(1)
  expect(isOpen()).toBeTrue()
  const { data } = (await sandbox.send('GET', '/_sandbox/requests')).body
  expect(data.map(({ id, method }: { id: number; method: string }) => [id, method])).toEqual([
    [2, 'GET'],
    [1, 'POST'],
  ])
})

test('a sandbox stays open while a receiver takes its time', async () => {
  const sandbox = await host.create({ data: 'empty' })
  const isOpen = () => readdirSync(join(host.directory, 'sandboxes', sandbox.id)).includes('shop.db-pid')
  const waiting: ServerResponse[] = []
  await using receiver = await startReceiver()
  receiver.response = (_, response) => void waiting.push(response)
  await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  await eventually(() => waiting.length === 1)
  host.clock.advance(61_000)
  await host.sweep()
  expect(isOpen()).toBeTrue()
  waiting[0]?.writeHead(204).end()
  await eventually(async () => {
    await host.sweep()
    return !isOpen()
  })
  expect((await sandbox.send('GET', '/_sandbox/deliveries')).body.data).toMatchObject([{ status: 204 }])
})

test('a host that starts again has every sandbox, and announces the same one', async () => {
  const { seed, id } = await host.create({ seed: 'kept' })
  const before = host.ready.id
  await host.restart()
  expect(host.ready.id).toBe(before)
  const { data } = (await host.send('GET', '/sandboxes')).body
  expect(data.find((sandbox: { id: string }) => sandbox.id === id).seed).toBe(seed)
})

test('a host that starts again with another key gives each sandbox the key that it announces', async () => {
  using directory = newDirectory()
  const withKey = (key?: string) =>
    startTestHost({ directory: directory.path, env: key === undefined ? {} : { ADMIN_API_KEY: key } })
  const first = await withKey()
  const made = await first.create()
  const { body: category } = await made.send('POST', '/categories', { name: 'Kept' })
  await first.stop()
  const hostKey = newSecret()
  for (const key of [hostKey, undefined]) {
    const host = await withKey(key)
    const { data } = (await host.send('GET', '/sandboxes', undefined, key ? { 'X-API-Key': key } : {})).body
    const shown = toSandbox(data.find(({ id }: { id: string }) => id === made.id))
    expect(shown.apiKey === made.apiKey).toBe(key === undefined)
    expect((await shown.send('GET', `/categories/${category.id}`)).body.name).toBe('Kept')
    expect((await shown.send('GET', '/keys/1')).body.prefix).toBe(displayPrefix(shown.apiKey))
    const earlier = await shown.send('GET', '/pets', undefined, { 'X-API-Key': made.apiKey })
    expect(earlier.status).toBe(key === undefined ? 200 : 401)
    await host.stop()
  }
})

test('a reset restores the initial state, with the same key', async () => {
  const sandbox = await host.create({ seed: 'again' })
  await sandbox.send('DELETE', '/pets/3')
  await sandbox.send('PUT', '/_sandbox/faults', { rules: [{ fault: 'unavailable' }] })
  await sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 3_600 })
  const { body } = await sandbox.send('POST', '/_sandbox/reset', {})
  expect([body.id, body.apiKey, body.url]).toEqual([sandbox.id, sandbox.apiKey, sandbox.url])
  expect((await sandbox.send('GET', '/pets/3/profile')).status).toBe(200)
  expect((await sandbox.send('GET', '/_sandbox/requests')).body.data).toHaveLength(1)
  expect(Date.parse((await sandbox.send('GET', '/_sandbox/clock')).body.at)).toBe(host.clock.now())
  const other = await sandbox.send('POST', '/_sandbox/reset', { seed: 'other', data: 'empty' })
  expect(other.body.apiKey).not.toBe(sandbox.apiKey)
  expect((await sandbox.send('GET', '/pets', undefined, { 'X-API-Key': other.body.apiKey })).body).toEqual([])
})

test.each([
  [{ seed: '' }, '/seed'],
  [{ data: 'huge' }, '/data'],
  [{ lifetimeSeconds: 0 }, '/lifetimeSeconds'],
  [{ lifetimeSeconds: 31 * 86_400 }, '/lifetimeSeconds'],
  [{ colour: 'red' }, '/colour'],
  [{ clock: { at: 'noon' } }, '/clock/at'],
])('a sandbox cannot be created with %j', async (wanted, path) => {
  const { status, body } = await host.send('POST', '/sandboxes', wanted)
  expect([status, body.code, body.errors[0].path]).toEqual([400, 'validation_failed', path])
})

test('other paths and methods of the host are rejected', async () => {
  expect((await host.send('GET', '/pets')).body.code).toBe('route_not_found')
  expect((await host.send('PUT', '/sandboxes')).body.code).toBe('method_not_allowed')
  expect((await host.send('GET', '/s/..%2fprepared/pets')).body.code).toBe('sandbox_not_found')
})
