import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import packageFile from '../package.json'
import { type LogFields, PetStore, type PetStoreOptions } from '../src/index.ts'

// What can be set for a client and for a single call.

const service = await startService()
afterAll(() => service.stop())

interface Sent {
  readonly method: string | undefined
  readonly url: URL
  readonly headers: Headers
  readonly body: unknown
}

/** A client, and what it sends. */
function recordingClient(options: PetStoreOptions = {}) {
  const sent: Sent[] = []
  const petstore = new PetStore({
    baseUrl: service.url,
    apiKey: service.adminSecret,
    now: service.clock.now,
    fetch: (url, init) => {
      const { method, headers, body } = init
      sent.push({ method, url: new URL(url), headers: new Headers(headers), body: body && JSON.parse(String(body)) })
      return fetch(url, init)
    },
    ...options,
  })
  return { petstore, sent }
}

test('a call sends its own headers, instead of those of the client', async () => {
  const { petstore, sent } = recordingClient({ headers: { 'X-Request-Id': 'client', traceparent: 'trace' } })
  await petstore.pets.counts({}, { headers: { 'x-request-id': 'call', 'X-Shop': '7' } })
  await petstore.pets.counts()
  expect(sent.map(({ headers }) => headers.get('X-Request-Id'))).toEqual(['call', 'client'])
  expect(sent[0]?.headers.get('X-Shop')).toBe('7')
  expect(sent[0]?.headers.get('traceparent')).toBe('trace')
})

test('every request says which client sends it, unless the caller says so', async () => {
  const { petstore, sent } = recordingClient()
  await petstore.pets.counts()
  expect(sent[0]?.headers.get('User-Agent')).toBe(`petstore-sdk/${packageFile.version} bun/${Bun.version}`)
  await petstore.pets.counts({}, { headers: { 'User-Agent': 'my-shop/3' } })
  expect(sent[1]?.headers.get('User-Agent')).toBe('my-shop/3')
})

test('address and key are those of the environment unless given', async () => {
  const { PETSTORE_URL: url, PETSTORE_API_KEY: key } = process.env
  try {
    process.env.PETSTORE_URL = service.url
    process.env.PETSTORE_API_KEY = service.adminSecret
    expect((await new PetStore().limits.get()).plan).toBe('enterprise')
    process.env.PETSTORE_URL = ''
    expect(() => new PetStore()).toThrow('Pass baseUrl, the URL of the service, or set PETSTORE_URL.')
    const { petstore, sent } = recordingClient({ apiKey: '' })
    await petstore.pets.counts().catch(() => undefined)
    expect(sent[0]?.headers.has('X-API-Key')).toBe(false)
  } finally {
    restore('PETSTORE_URL', url)
    restore('PETSTORE_API_KEY', key)
  }
})

test('the error about an invalid address names it and gives an example', () => {
  const { PETSTORE_URL: url } = process.env
  const expected = 'must be an http or https URL, such as https://petstore.example.com, not'
  for (const baseUrl of ['nope', 'localhost:8080', '/api']) {
    expect(() => new PetStore({ baseUrl })).toThrow(`baseUrl ${expected} "${baseUrl}".`)
  }
  try {
    process.env.PETSTORE_URL = 'nope'
    expect(() => new PetStore()).toThrow(`PETSTORE_URL ${expected} "nope".`)
  } finally {
    restore('PETSTORE_URL', url)
  }
})

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

test('a time may be given as a Date, in a body and in a query', async () => {
  const { petstore, sent } = recordingClient()
  const petId = await service.admin.newPet()
  const shipDate = new Date('2027-03-01T08:00:00Z')
  const order = await petstore.store.orders.place({ petId, shipDate })
  expect(order.shipDate).toBe('2027-03-01T08:00:00.000Z')
  await petstore.store.orders.update(order.id, { shipDate: new Date('2027-03-02T08:00:00Z') })
  const found = await petstore.store.orders.list({ petId, shipFrom: shipDate, shipTo: undefined }).toArray()
  expect(found).toMatchObject([{ id: order.id, shipDate: '2027-03-02T08:00:00.000Z' }])
  expect(sent.at(-1)?.url.search).toBe(`?petId=${petId}&shipFrom=2027-03-01T08%3A00%3A00.000Z`)
  // @ts-expect-error: this parameter is a text, not a time
  expect(await petstore.pets.list({ q: new Date() }).toArray()).toEqual([])
})

test('request sends what has no method of its own, like every call, and returns the response', async () => {
  const { petstore, sent } = recordingClient()
  const created = await petstore.request('post', '/categories', { body: { name: 'Raw' }, idempotencyKey: 'raw-1' })
  expect(created.status).toBe(201)
  const { id } = (await created.json()) as { id: number }
  expect(sent[0]?.headers.get('Idempotency-Key')).toBe('raw-1')
  const page = await petstore.request('GET', '/categories?sort=-id', { query: { limit: 1, q: undefined } })
  expect(await page.json()).toMatchObject([{ id }])
  expect(sent[1]?.url.search).toBe('?sort=-id&limit=1')
  const ifMatch = created.headers.get('ETag') as string
  await petstore.request('PATCH', `/categories/${id}`, { body: { name: 'Cooked' }, ifMatch })
  const failed = await petstore.request('DELETE', `/categories/${id}`, { ifMatch }).catch((error) => error)
  expect(failed).toMatchObject({ code: 'precondition_failed' })
  expect((await petstore.request('HEAD', '/pets')).headers.has('RateLimit')).toBe(true)
  const elsewhere = await petstore.request('GET', 'https://example.com/').catch((error) => error)
  expect(elsewhere).toHaveProperty('message', '"https://example.com/" is not a path: it must start with "/".')
})

test('an abort also ends the body of a response that request returned, and closes its connection', async () => {
  const closed = Promise.withResolvers<void>()
  await using endless = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ signal }) => {
      signal.addEventListener('abort', () => closed.resolve())
      return new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('[1,')) }))
    },
  })
  const { petstore } = recordingClient({ baseUrl: endless.url.href })
  const controller = new AbortController()
  const response = await petstore.request('GET', '/pets', { signal: controller.signal, timeoutMs: 60_000 })
  expect(response.status).toBe(200)
  const reading = response.text().catch((error) => error.message)
  controller.abort(new Error('enough'))
  expect(await reading).toBe('enough')
  await closed.promise
})

test('a logger gets each response and each retry, and nothing that is secret', async () => {
  const lines: { level: string; text: string; fields: LogFields }[] = []
  const log = (level: string) => (text: string, fields: LogFields) => lines.push({ level, text, fields })
  let isFirst = true
  const { petstore } = recordingClient({
    logger: { debug: log('debug'), warn: log('warn') },
    random: () => 0,
    fetch: (url, init) => {
      const response = isFirst ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init)
      isFirst = false
      return response
    },
  })
  const petId = await service.admin.newPet()
  await petstore.pets.get(petId)
  const operation = 'GET /pets/{petId}'
  expect(lines).toMatchObject([
    { level: 'warn', fields: { operation, attempt: 1, code: 'connection_failed', waitMs: 0 } },
    { level: 'debug', fields: { operation, attempt: 2, status: 200, requestId: expect.any(String) } },
    {
      level: 'warn',
      text: expect.stringMatching(/is deprecated and works until \d{4}-\d\d-\d\d; use /),
      fields: { operation },
    },
  ])
  expect(lines[0]?.text).toContain('failed, next try in 0 ms')
  await petstore.request('GET', '/pets?q=private').catch(() => undefined)
  expect(JSON.stringify(lines)).not.toContain('private')
  expect(JSON.stringify(lines)).not.toContain(service.adminSecret)
})

test('a list goes on after a page without items', async () => {
  const pages: Record<string, [items: object[], next?: string]> = {
    '': [[{ id: 1 }], 'a'],
    a: [[], 'b'],
    b: [[{ id: 2 }]],
  }
  const asked: string[] = []
  const { petstore } = recordingClient({
    fetch: async (url) => {
      const from = new URL(url).searchParams.get('cursor') ?? ''
      asked.push(from)
      const [items, next] = pages[from] ?? [[]]
      const headers = next === undefined ? {} : { Link: `<http://inside/categories?cursor=${next}>; rel="next"` }
      return Response.json(items, { headers })
    },
  })
  expect((await petstore.categories.list().toArray()).map(({ id }) => id)).toEqual([1, 2])
  expect(asked).toEqual(['', 'a', 'b'])
  expect(await petstore.categories.list().toArray(1)).toHaveLength(1)
  expect(await petstore.categories.list().toArray(0)).toEqual([])
  expect(asked).toHaveLength(4)
})

test('false and 0 are values of a query, undefined is none', async () => {
  const { petstore, sent } = recordingClient()
  await petstore.store.orders.list({ complete: false, petId: undefined }).firstPage()
  await petstore.store.inventory.list({ maxQuantity: 0 }).firstPage()
  expect(sent.map(({ url }) => url.search)).toEqual(['?complete=false', '?maxQuantity=0'])
})
