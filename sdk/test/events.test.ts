import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService } from '../../server/test/harness/service.ts'
import { type Event, PetStore, PetStoreError, type PetStoreOptions } from '../src/index.ts'

const service = await startService()
afterAll(() => service.stop())

/** An administrator's client; `network` may change the responses of the stream. */
function clientOver(network: (stream: Response) => Response = (stream) => stream, more: Partial<PetStoreOptions> = {}) {
  let streams = 0
  const petstore = new PetStore({
    baseUrl: service.url,
    apiKey: service.adminSecret,
    random: () => 0,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (!url.includes('/events/stream') || !response.ok) return response
      streams++
      return network(response)
    },
    ...more,
  })
  return { petstore, streams: () => streams }
}

/** Breaks the connection after some chunks. */
const breakAfter = (chunks: number) => (stream: Response) => {
  let left = chunks
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (left-- > 0) controller.enqueue(chunk)
      else controller.error(new TypeError('terminated'))
    },
  })
  return new Response(stream.body?.pipeThrough(cut) ?? null, { headers: stream.headers })
}

const nameOf = (event: Event) => ('name' in event.data ? event.data.name : '')

/** The names of the first new categories, as a follower sees them. */
async function namesOf(events: AsyncGenerator<Event, void, undefined>, count: number): Promise<string[]> {
  const names: string[] = []
  for await (const event of events) {
    names.push(nameOf(event))
    if (names.length === count) break
  }
  return names
}

const { petstore } = clientOver()
let lastSeen: string | undefined
/** Creates categories and waits until readers see each: on a shared server, transactions of other tests hold the end of the log back. */
const create = async (names: readonly string[]) => {
  for (const name of names) {
    await petstore.categories.create({ name })
    await eventually(async () => {
      const seen = await petstore.events.list({ ...(lastSeen && { after: lastSeen }) }).toArray()
      lastSeen = seen.at(-1)?.id ?? lastSeen
      return seen.some((event) => nameOf(event) === name)
    })
  }
}
const numbered = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index}`)

/** The id of the newest event. */
const latest = async () => (await petstore.events.list().toArray()).at(-1)?.id

test('events are listed oldest first, over all pages, and after a given event', async () => {
  const names = numbered('Listed', 7)
  await create(names)
  const all = await petstore.events.list({ type: 'category.created', limit: 3 }).toArray()
  expect(all.map(nameOf)).toEqual(names)
  const rest = await petstore.events.list({ type: ['category.*'], after: all[4]?.id as string }).toArray()
  expect(rest.map(nameOf)).toEqual(names.slice(5))
})

test('follow yields events as they happen, of the given types', async () => {
  const names = numbered('Followed', 3)
  const followed = namesOf(petstore.events.follow({ after: (await latest()) as string, type: 'category.created' }), 3)
  const { id } = await petstore.categories.create({ name: names[0] as string })
  await petstore.categories.update(id, { description: 'Of another type.' })
  await create(names.slice(1))
  expect(await followed).toEqual(names)
})

test('an event made right after onOpen is yielded', async () => {
  const made: Promise<unknown>[] = []
  const onOpen = () => void made.push(petstore.categories.create({ name: 'Right after' }))
  expect(await namesOf(petstore.events.follow({ type: 'category.created' }, { onOpen }), 1)).toEqual(['Right after'])
  await Promise.all(made)
})

test('an error in onOpen ends follow', async () => {
  const onOpen = () => {
    throw new Error('my mistake')
  }
  expect(await namesOf(petstore.events.follow({}, { onOpen }), 1).catch((error) => error.message)).toBe('my mistake')
})

test('a connection that breaks all the time loses nothing and repeats nothing', async () => {
  const names = numbered('Cut', 100)
  const { petstore: unlucky, streams } = clientOver(breakAfter(3))
  const followed = namesOf(unlucky.events.follow({ after: (await latest()) as string, type: 'category.created' }), 100)
  await create(names)
  expect(await followed).toEqual(names)
  expect(streams()).toBeGreaterThan(1)
})

test('follow starts at the first connection, even if it broke before anything came', async () => {
  const connections: (() => void)[] = []
  const first = new Promise<void>((resolve) => connections.push(resolve))
  let count = 0
  const { petstore: unlucky } = clientOver((stream) => {
    if (++count > 1) return stream
    connections[0]?.()
    return breakAfter(1)(stream)
  })
  const followed = namesOf(unlucky.events.follow({ type: 'category.created' }), 2)
  await first
  await create(['Gap 1', 'Gap 2'])
  expect(await followed).toEqual(['Gap 1', 'Gap 2'])
})

test('follow polls if streams do not get through', async () => {
  const page = () => new Response('<h1>No streams here</h1>', { headers: { 'Content-Type': 'text/html' } })
  const { petstore: behindProxy, streams } = clientOver(page, { sleep: () => Bun.sleep(1) })
  const names = numbered('Polled', 130)
  const after = (await latest()) as string
  await create(names.slice(0, 125))
  const [{ id }] = (await service.admin.get('/categories?limit=1')).body
  await service.admin.patch(`/categories/${id}`, { name: 'Of another type' })
  const followed = namesOf(behindProxy.events.follow({ after, type: 'category.created' }), 130)
  await create(names.slice(125))
  expect(await followed).toEqual(names)
  expect(streams()).toBe(1)
})

test('polling goes on after an outage that is longer than a call may take', async () => {
  const page = () => new Response('<h1>No streams here</h1>', { headers: { 'Content-Type': 'text/html' } })
  const failures = [
    () => Promise.reject(new TypeError('fetch failed')),
    async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
  ]
  const behindProxy = new PetStore({
    baseUrl: service.url,
    apiKey: service.adminSecret,
    sleep: () => Bun.sleep(1),
    attemptsMax: 1,
    fetch: async (url, init) => (url.includes('/events/stream') ? page() : (failures.shift()?.() ?? fetch(url, init))),
  })
  const after = (await latest()) as string
  await create(['After the outage'])
  const followed = namesOf(behindProxy.events.follow({ after, type: 'category.created' }), 1)
  expect(await followed).toEqual(['After the outage'])
  expect(failures).toEqual([])
})

test.each([
  [{ after: '☃' }, {}],
  [{}, { headers: { 'X-Shop': '☃' } }],
])('what cannot be sent is thrown: %j %j', async (query, options) => {
  const error = await namesOf(petstore.events.follow(query, options), 1).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(TypeError)
})

test('an abort ends follow with its reason', async () => {
  const controller = new AbortController()
  const ended = namesOf(petstore.events.follow({}, { signal: controller.signal }), 1).catch((error) => error.message)
  controller.abort(new Error('enough'))
  expect(await ended).toBe('enough')
})

test('an error that a new connection cannot fix is thrown', async () => {
  const unknown = new PetStore({ baseUrl: service.url, apiKey: 'ps_unknown' })
  const error = await namesOf(unknown.events.follow(), 1).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(PetStoreError)
  expect(error.code).toBe('invalid_api_key')
  const misplaced = await namesOf(petstore.events.follow({ after: 'nowhere' }), 1).catch((thrown) => thrown)
  expect(misplaced.code).toBe('invalid_cursor')
})
