import { afterAll, expect, test } from 'bun:test'
import { PetStore, PreconditionFailedError, verifyWebhook } from '../../../sdk/src/index.ts'
import { type Sandbox, startSandbox } from '../../../sdk/src/testing/sandbox.ts'
import { startTemporaryHost } from '../../src/sandbox/serve.ts'
import { eventually } from '../harness/eventually.ts'
import { addFaults, createDraws, isNotKept } from './trials.ts'

// Whole clients: the SDK keeps every rule, and five careless clients each break the rules that they should.

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())

const newShop = () => startSandbox({ host: host.url })

const failedRules = async (shop: Sandbox) => (await shop.report()).failed

/** Sends a request as a careless program does. */
async function send(shop: Sandbox, call: string, body?: object, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = call.split(' ')
  const response = await fetch(shop.url + path, {
    method,
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

/** Waits until a webhook has had this many attempts. */
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
    // On a connection that was open before, Bun would automatically send a cut request again.
    fetch: (url, init) => fetch(url, { ...init, keepalive: false }),
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
  await petstore.store.summary()
  await petstore.store.inventory.list().toArray()
  const pet = await petstore.pets.profile(1)
  const rename = (from: typeof pet) => petstore.pets.update(1, { name: 'Max' }, { ifMatch: from })
  await rename(pet).catch(async (error) => {
    expect(error).toBeInstanceOf(PreconditionFailedError)
    await rename(await petstore.pets.profile(1))
  })
  await petstore.pets.profile(999_999).catch(({ status }) => expect(status).toBe(404))
  // Deprecated: its response says so, and the SDK warns once.
  await petstore.pets.get(2)

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

  const { failed, rules } = await shop.report()
  expect(rules.filter(isNotKept)).toEqual([])
  expect([failed, rules.length]).toEqual([[], 14])
})

test('a client that hammers is banned, and fails for not waiting and for the ban', async () => {
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
  expect(await failedRules(shop)).toEqual(['retry-after', 'bans'])
})

test('a client that orders again without a key fails, and two pets are gone', async () => {
  const shop = await newShop()
  await shop.fail('placeOrder', 'cut_after', { times: 1 })
  const order = () => send(shop, 'POST /store/orders', { petId: 23, quantity: 1 })
  expect((await order()).status).toBe(undefined)
  expect((await order()).status).toBe(201)
  expect(await failedRules(shop)).toEqual(['repeats'])
})

test('a client that retries the wrong things, at a steady pace, fails for both', async () => {
  const shop = await newShop()
  await shop.fail('listCategories', 'cut', { times: 4 })
  await shop.fail('listPets', 'unavailable', { times: 1 })
  await shop.freeze()
  for (let count = 0; count < 5; count++) {
    await send(shop, 'GET /categories')
    await shop.advance('1 second')
  }
  expect((await send(shop, 'GET /pets')).status).toBe(503)
  for (let count = 0; count < 4; count++) {
    await send(shop, 'GET /store/orders?limit=0')
    await shop.advance('2 seconds')
  }
  expect(await failedRules(shop)).toEqual(['back-off', 'retries', 'rejections'])
})

test('a client that edits blindly, guesses cursors, ignores a deprecation and shows its key fails four rules', async () => {
  const shop = await newShop()
  await send(shop, 'PATCH /pets/1', { name: 'Max' })
  await send(shop, 'GET /pets?limit=5&cursor=20')
  for (const petId of [1, 2]) {
    await send(shop, `GET /pets/${petId}`)
    await shop.advance('2 seconds')
  }
  await send(shop, `GET /pets?api_key=${shop.apiKey}`)
  expect(await failedRules(shop)).toEqual(['pages', 'credentials', 'conditions', 'deprecation'])
  expect(JSON.stringify(await shop.requests())).not.toContain(shop.apiKey)
})

test('a client that misses events and trusts every webhook fails for streams and webhooks', async () => {
  const shop = await newShop()
  await shop.fail('streamEvents', 'cut_body', { times: 1 })
  const openStream = () => fetch(`${shop.url}/events/stream`, { headers: { 'X-API-Key': shop.apiKey } })
  const reading = (await openStream()).text().catch(() => undefined)
  await send(shop, 'POST /categories', { name: 'Owls' })
  await reading
  await (await openStream()).body?.cancel()

  let received = 0
  await using receiver = receive(async () => (received++ < 2 ? 500 : 204))
  const { body: webhook } = await send(shop, 'POST /webhooks', { url: receiver.url, events: ['order.placed'] })
  await send(shop, 'POST /store/orders', { petId: 23, quantity: 1 })
  await attempted(shop, 1)
  await shop.advance('1 minute')
  await attempted(shop, 2)
  expect(await shop.forge(webhook.id)).toBe(204)
  expect(await failedRules(shop)).toEqual(['streams', 'webhooks', 'signatures'])
})
