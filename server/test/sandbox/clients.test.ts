import { afterAll, expect, test } from 'bun:test'
import { PetStore, PreconditionFailedError, verifyWebhook } from '../../../sdk/src/index.ts'
import { type Sandbox, startSandbox } from '../../../sdk/src/testing/sandbox.ts'
import { startTemporaryHost } from '../../src/sandbox/serve.ts'
import { eventually } from '../harness/eventually.ts'
import { addFaults, createDraws } from './trials.ts'

// Whole clients: the SDK keeps every rule, and five that do not know better each break those they should.

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())

const newShop = () => startSandbox({ host: host.url })

async function verdictsOf(shop: Sandbox): Promise<Record<string, string>> {
  const { rules } = await shop.report()
  return Object.fromEntries(rules.map(({ rule, verdict }) => [rule, verdict]))
}

async function failedRules(shop: Sandbox): Promise<string[]> {
  const verdicts = Object.entries(await verdictsOf(shop))
  return verdicts.filter(([, verdict]) => verdict === 'failed').map(([rule]) => rule)
}

/** Sends a request as a careless program does. */
async function send(shop: Sandbox, call: string, body?: object, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = call.split(' ')
  const response = await fetch(shop.url + path, {
    method,
    // On a connection that was open before, Bun would send a cut request again by itself.
    keepalive: false,
    headers: { 'X-API-Key': shop.apiKey, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => undefined)
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  const content: any = await response?.json().catch(() => undefined)
  return { status: response?.status, body: content }
}

/** A receiver of webhooks on this machine. */
function receive(response: (request: Request) => Promise<number>) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => new Response(null, { status: await response(request) }),
  })
  return { url: `http://127.0.0.1:${server.port}/`, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** Waits until a webhook has had so many attempts. */
const attempted = (shop: Sandbox, count: number) =>
  eventually(async () => {
    const response = await fetch(`${shop.url}/_sandbox/deliveries`)
    const { data } = (await response.json()) as { data: readonly { forged?: boolean }[] }
    return data.filter(({ forged }) => !forged).length === count
  })

/** The SDK in the time of the shop: instead of waiting it moves the clock. */
function inShopTime(shop: Sandbox): PetStore {
  let ahead = 0
  return shop.client({
    // A whole minute, which a 429 may ask for, is not too long to wait.
    totalMs: 300_000,
    now: () => Date.now() + ahead,
    random: createDraws(),
    async sleep(ms, signal) {
      if (signal.aborted) return
      ahead += ms
      await shop.advance(`${ms / 1000} seconds`)
    },
  })
}

test('the SDK keeps every rule', async () => {
  const shop = await newShop()
  const petstore = inShopTime(shop)
  await addFaults(shop)

  await petstore.pets.list({ limit: 10 }).toArray()
  await petstore.categories.list().toArray()
  const pet = await petstore.pets.profile(1)
  const rename = (from: typeof pet) => petstore.pets.update(1, { name: 'Max' }, { ifMatch: from })
  await rename(pet).catch(async (error) => {
    expect(error).toBeInstanceOf(PreconditionFailedError)
    await rename(await petstore.pets.profile(1))
  })
  await petstore.pets.profile(999_999).catch(({ status }) => expect(status).toBe(404))

  let secret = ''
  await using receiver = receive(async (request) =>
    verifyWebhook(await request.text(), request.headers, secret, { now: () => Date.parse(time) }).then(
      () => 204,
      () => 401,
    ),
  )
  const webhook = await petstore.webhooks.create({ url: receiver.url, events: ['order.placed'] })
  secret = webhook.secret
  const { at: time } = await shop.clock()
  await petstore.store.orders.place({ petId: 23, quantity: 1 })
  await attempted(shop, 1)
  expect(await shop.forge(webhook.id)).toBe(401)

  const names: unknown[] = []
  // A client with the machine's clock: a stream is not polled.
  const live = new PetStore({ baseUrl: shop.url, apiKey: shop.apiKey, random: () => 0.1 })
  const following = (async () => {
    for await (const { data } of live.events.follow({ type: ['category.created'] })) {
      if (names.push((data as { name: string }).name) === 2) return
    }
  })()
  await eventually(async () => {
    return (await shop.requests()).some(({ operationId }) => operationId === 'streamEvents')
  })
  await petstore.categories.create({ name: 'Ferrets' })
  await petstore.categories.create({ name: 'Geckos' })
  await following
  expect(names).toEqual(['Ferrets', 'Geckos'])

  const { score, rules } = await shop.report()
  expect(rules.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  expect([score, rules.length]).toEqual([100, 12])
})

test('a client that hammers is banned, and loses the points for waiting and for the ban', async () => {
  const shop = await newShop()
  const { body: key } = await send(shop, 'POST /keys', { name: 'hammer', plan: 'free', preset: 'reader' })
  const hammer = () => send(shop, 'GET /pets?limit=1', undefined, { 'X-API-Key': key.secret })
  // At the start of a minute, so that the window does not end meanwhile.
  await shop.freeze()
  const { at } = await shop.clock()
  await shop.setTime(new Date((Math.floor(Date.parse(at) / 60_000) + 1) * 60_000))
  for (let count = 0; count < 61; count++) await hammer()
  await shop.advance('2 seconds')
  let last: Awaited<ReturnType<typeof hammer>> | undefined
  for (let count = 0; count < 35; count++) last = await hammer()
  expect(last?.body.code).toBe('key_banned')
  expect(await failedRules(shop)).toEqual(['waits_for_retry_after', 'stays_out_of_bans'])
})

test('a client that orders again without a key loses the point for safe repeats, and two pets are gone', async () => {
  const shop = await newShop()
  await shop.fail('placeOrder', 'cut_after', { times: 1 })
  const order = () => send(shop, 'POST /store/orders', { petId: 23, quantity: 1 })
  expect((await order()).status).toBe(undefined)
  expect((await order()).status).toBe(201)
  expect(await failedRules(shop)).toEqual(['repeats_posts_safely'])
})

test('a client that retries the wrong things, at a steady pace, loses the points for both', async () => {
  const shop = await newShop()
  await shop.fail('listCategories', 'cut', { times: 4 })
  await shop.fail('listPets', 'unavailable', { times: 1 })
  await shop.freeze()
  for (let count = 0; count < 5; count++) {
    await send(shop, 'GET /categories')
    await shop.advance('30 seconds')
  }
  expect((await send(shop, 'GET /pets')).status).toBe(503)
  for (let count = 0; count < 3; count++) await send(shop, 'GET /pets/999999/profile')
  expect(await failedRules(shop)).toEqual(['backs_off_with_jitter', 'retries_what_can_pass'])
})

test('a client that edits blindly, guesses cursors, ignores a deprecation and shows its key loses four points', async () => {
  const shop = await newShop()
  await send(shop, 'PATCH /pets/1', { name: 'Max' })
  await send(shop, 'GET /pets?limit=5&cursor=20')
  for (const petId of [1, 2]) await send(shop, `GET /pets/${petId}`)
  await send(shop, `GET /pets?api_key=${shop.apiKey}`)
  expect(await failedRules(shop)).toEqual([
    'follows_links',
    'edits_conditionally',
    'leaves_deprecated',
    'keeps_keys_out_of_addresses',
  ])
  expect(JSON.stringify(await shop.requests())).not.toContain(shop.apiKey)
})

test('a client that misses events and trusts every webhook loses the points for streams and webhooks', async () => {
  const shop = await newShop()
  const openStream = async () => {
    const response = await fetch(`${shop.url}/events/stream`, { headers: { 'X-API-Key': shop.apiKey } })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
  }
  await openStream()
  await eventually(async () => (await shop.requests())[0]?.durationMs !== null)
  await openStream()

  let received = 0
  await using receiver = receive(async () => (received++ === 0 ? 500 : 204))
  const { body: webhook } = await send(shop, 'POST /webhooks', { url: receiver.url, events: ['order.placed'] })
  await send(shop, 'POST /store/orders', { petId: 23, quantity: 1 })
  await attempted(shop, 1)
  expect(await shop.forge(webhook.id)).toBe(204)
  expect(await failedRules(shop)).toEqual(['resumes_streams', 'acknowledges_webhooks', 'rejects_forged_webhooks'])
})
