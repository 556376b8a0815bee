import { afterAll, expect, test } from 'bun:test'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { failureOf } from '../harness/failure-of.ts'
import { onFreePort } from '../harness/run/free-port.ts'
import { sendJson, startTestHost, toSandbox } from '../harness/sandbox.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

const hostKey = newSecret()
/** Reachable from other machines, as far as the host knows. */
const open = await startTestHost({ env: { HOST: '0.0.0.0', ADMIN_API_KEY: hostKey }, sandboxesMax: 4 })
const local = await startTestHost({ databaseBytesMax: 1024 * 1024 })
afterAll(() => Promise.all([open.stop(), local.stop()]))
const asHost = { 'X-API-Key': hostKey }

test('a host that other machines can reach needs a key', async () => {
  const failure = await failureOf(startTestHost({ env: { HOST: '0.0.0.0' } }))
  expect(String(failure)).toMatch(/needs a key.*ADMIN_API_KEY/)
})

test('so does one behind a proxy, whose webhooks do not reach private addresses either', async () => {
  const behindProxy = { BASE_URL: 'https://shops.example' }
  expect(String(await failureOf(startTestHost({ env: behindProxy })))).toMatch(/needs a key/)
  let port = 0
  const proxied = await onFreePort((free) => {
    port = free
    return startTestHost({ env: { ...behindProxy, PORT: String(port), ADMIN_API_KEY: hostKey } })
  })
  await using receiver = await startReceiver()
  const shop = toSandbox({ ...proxied.ready, url: `http://127.0.0.1:${port}/s/${proxied.ready.id}` })
  const { body } = await shop.send('POST', '/webhooks', { url: receiver.url, events: ['*'] })
  expect(body.errors[0].path).toBe('/url')
  await proxied.stop()
})

test('its sandboxes are created, listed and ended only with that key', async () => {
  const { id, apiKey } = await open.create({ seed: 'guessed' }, asHost)
  for (const headers of [{}, { 'X-API-Key': apiKey }, { 'X-API-Key': newSecret() }]) {
    expect((await open.send('POST', '/sandboxes', {}, headers)).status).toBe(401)
    expect((await open.send('GET', '/sandboxes', undefined, headers)).status).toBe(401)
    expect((await open.send('DELETE', `/sandboxes/${id}`, undefined, headers)).status).toBe(401)
  }
  for (const headers of [asHost, { Authorization: `Bearer ${hostKey}` }]) {
    expect((await open.send('GET', '/sandboxes', undefined, headers)).status).toBe(200)
  }
  // A seed alone does not tell its secrets.
  expect((await local.create({ seed: 'guessed' })).apiKey).not.toBe(apiKey)
  expect((await open.send('DELETE', `/sandboxes/${id}`, undefined, asHost)).status).toBe(204)
})

test('only the key of the host chooses a seed, which gives the key of every sandbox that has it', async () => {
  const [mine, other] = [await open.create({}, asHost), await open.create({ seed: 'shared' }, asHost)]
  const reset = (headers: Record<string, string>, body: object) =>
    sendJson('POST', `${mine.url}/_sandbox/reset`, body, headers)
  const asMine = { 'X-API-Key': mine.apiKey }
  expect((await reset(asMine, { seed: 'shared' })).status).toBe(401)
  expect((await reset(asMine, {})).status).toBe(200)
  const chosen = await reset(asHost, { seed: 'shared' })
  expect([chosen.status, chosen.body.apiKey]).toEqual([200, other.apiKey])
  for (const { id } of [mine, other]) await open.send('DELETE', `/sandboxes/${id}`, undefined, asHost)
})

test('one sandbox cannot read or change another', async () => {
  const [mine, other] = [await open.create({}, asHost), await open.create({}, asHost)]
  for (const [method, path] of [
    ['GET', '/clock'],
    ['PUT', '/clock'],
    ['GET', '/faults'],
    ['PUT', '/faults'],
    ['GET', '/requests'],
    ['GET', '/requests.har'],
    ['GET', '/deliveries'],
    ['POST', '/forge'],
    ['POST', '/reset'],
  ] as const) {
    const url = `${other.url}/_sandbox${path}`
    expect([path, (await sendJson(method, url)).status]).toEqual([path, 401])
    expect([path, (await sendJson(method, url, undefined, { 'X-API-Key': mine.apiKey })).status]).toEqual([path, 401])
  }
  expect((await mine.send('GET', '/_sandbox/clock')).status).toBe(200)
  expect((await sendJson('GET', `${mine.url}/_sandbox/clock`, undefined, asHost)).status).toBe(200)
  for (const { id } of [mine, other]) await open.send('DELETE', `/sandboxes/${id}`, undefined, asHost)
})

test('webhooks reach private addresses only on a host of this machine', async () => {
  await using receiver = await startReceiver()
  const webhook = { url: receiver.url, events: ['*'] }
  const far = toSandbox((await open.send('GET', '/sandboxes', undefined, asHost)).body.data[0])
  expect((await far.send('POST', '/webhooks', webhook)).body.errors[0].path).toBe('/url')
  expect((await local.ready.send('POST', '/webhooks', webhook)).status).toBe(201)
})

test('the number of sandboxes is limited', async () => {
  const made: string[] = []
  for (let count = 1; count < 4; count++) made.push((await open.create({}, asHost)).id)
  const { status, body } = await open.send('POST', '/sandboxes', {}, asHost)
  expect([status, body.code]).toEqual([409, 'sandbox_limit_reached'])
  for (const id of made) await open.send('DELETE', `/sandboxes/${id}`, undefined, asHost)
})

test.each([
  ['a page of another website', { Origin: 'https://evil.example' }],
  ['a page of another port', { Origin: 'http://127.0.0.1:1' }],
  ['a file', { Origin: 'null' }],
  ['a name that points at this machine', { Host: 'evil.example' }],
])('%s cannot use a host without a key', async (_, headers) => {
  for (const [method, path] of [
    ['POST', '/sandboxes'],
    ['GET', '/sandboxes'],
    ['GET', `/s/${local.ready.id}/_sandbox/requests`],
    ['POST', `/s/${local.ready.id}/_sandbox/reset`],
    ['DELETE', `/sandboxes/${local.ready.id}`],
  ] as const) {
    expect((await local.send(method, path, undefined, headers)).status).toBe(403)
  }
  expect((await local.send('GET', '/sandboxes', undefined, { Origin: local.url })).status).toBe(200)
})

test('without a key, what changes something is sent as JSON', async () => {
  const { id } = local.ready
  for (const path of ['/sandboxes', `/s/${id}/_sandbox/reset`, `/s/${id}/_sandbox/forge`]) {
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const { status, body } = await local.send('POST', path, undefined, { ...(type && { 'Content-Type': type }) })
      expect([path, type, status, body.code]).toEqual([path, type, 415, 'unsupported_media_type'])
    }
  }
  const type = { 'Content-Type': 'application/json; charset=utf-8' }
  expect((await local.send('POST', `/s/${id}/_sandbox/reset`, undefined, type)).status).toBe(200)
})

test('a sandbox cannot fill the disk', async () => {
  const { send } = await local.create({ data: 'empty' })
  await send('POST', '/categories', { name: 'Dogs' })
  const description = 'x'.repeat(2_000)
  let rejected: Awaited<ReturnType<typeof send>> | undefined
  for (let round = 0; round < 50 && !rejected; round++) {
    const made = await Promise.all(
      Array.from({ length: 100 }, () => send('POST', '/categories', { name: 'Dogs', description })),
    )
    rejected = made.find(({ status }) => status !== 201)
  }
  expect([rejected?.status, rejected?.body.code]).toEqual([503, 'unavailable'])
  expect((await send('GET', '/categories?limit=1')).status).toBe(200)
  expect((await local.ready.send('POST', '/categories', { name: 'Dogs' })).status).toBe(201)
})
