import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService } from '../../server/test/harness/service.ts'
import { type Event, PetStore, PetStoreError, type PetStoreOptions } from '../src/index.ts'

const service = await startService()
afterAll(() => service.stop())

/** The administrator's client; `network` may do to the answers of the stream what networks do. */
function connected(network: (stream: Response) => Response = (stream) => stream, more: Partial<PetStoreOptions> = {}) {
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

/** The connection breaks after so many chunks. */
const brokenAfter = (chunks: number) => (stream: Response) => {
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

/** The names of so many new categories, as a follower sees them. */
async function namesOf(events: AsyncGenerator<Event, void, undefined>, count: number): Promise<string[]> {
  const names: string[] = []
  for await (const event of events) {
    names.push(nameOf(event))
    if (names.length === count) break
  }
  return names
}

const { petstore } = connected()
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

/** The id of the last event there is. */
const latest = async () => (await petstore.events.list().toArray()).at(-1)?.id

test('what happened is listed oldest first, over all pages, and on from an event', async () => {
  const names = numbered('Listed', 7)
  await create(names)
  const all = await petstore.events.list({ type: 'category.created', limit: 3 }).toArray()
  expect(all.map(nameOf)).toEqual(names)
  const rest = await petstore.events.list({ type: ['category.*'], after: all[4]?.id as string }).toArray()
  expect(rest.map(nameOf)).toEqual(names.slice(5))
})

test('what happens comes as it happens, of the types that are asked for', async () => {
  const names = numbered('Followed', 3)
  const followed = namesOf(petstore.events.follow({ after: (await latest()) as string, types: 'category.created' }), 3)
  const { id } = await petstore.categories.create({ name: names[0] as string })
  await petstore.categories.update(id, { description: 'Of another type.' })
  await create(names.slice(1))
  expect(await followed).toEqual(names)
})

test('a connection that breaks all the time loses nothing and repeats nothing', async () => {
  const names = numbered('Cut', 100)
  const { petstore: unlucky, streams } = connected(brokenAfter(3))
  const followed = namesOf(unlucky.events.follow({ after: (await latest()) as string, types: 'category.created' }), 100)
  await create(names)
  expect(await followed).toEqual(names)
  expect(streams()).toBeGreaterThan(1)
})

test('from now on means from the first connection on, also when it broke before anything came', async () => {
  const connections: (() => void)[] = []
  const first = new Promise<void>((resolve) => connections.push(resolve))
  let count = 0
  const { petstore: unlucky } = connected((stream) => {
    if (++count > 1) return stream
    connections[0]?.()
    return brokenAfter(1)(stream)
  })
  const followed = namesOf(unlucky.events.follow({ types: 'category.created' }), 2)
  await first
  await create(['Gap 1', 'Gap 2'])
  expect(await followed).toEqual(['Gap 1', 'Gap 2'])
})

test('where streams do not get through it polls', async () => {
  const page = () => new Response('<h1>No streams here</h1>', { headers: { 'Content-Type': 'text/html' } })
  const { petstore: behindProxy, streams } = connected(page, { sleep: () => Bun.sleep(1) })
  const names = numbered('Polled', 130)
  const after = (await latest()) as string
  await create(names.slice(0, 125))
  const followed = namesOf(behindProxy.events.follow({ after, types: 'category.created' }), 130)
  await create(names.slice(125))
  expect(await followed).toEqual(names)
  expect(streams()).toBe(1)
})

test('an abort ends it with its reason', async () => {
  const controller = new AbortController()
  const ended = namesOf(petstore.events.follow({ signal: controller.signal }), 1).catch((error) => error.message)
  controller.abort(new Error('enough'))
  expect(await ended).toBe('enough')
})

test('what no new connection can mend is thrown', async () => {
  const stranger = new PetStore({ baseUrl: service.url, apiKey: 'ps_unknown' })
  const error = await namesOf(stranger.events.follow(), 1).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(PetStoreError)
  expect(error.code).toBe('invalid_api_key')
  const lost = await namesOf(petstore.events.follow({ after: 'nowhere' }), 1).catch((thrown) => thrown)
  expect(lost.code).toBe('invalid_cursor')
})
