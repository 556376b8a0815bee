import { afterAll, expect, test } from 'bun:test'
import { createConnection } from 'node:net'
import { openStream as createStream } from '../../../src/platform/feed/stream.ts'
import { eventually } from '../../harness/eventually.ts'
import { getBanned } from '../../harness/flood.ts'
import { openTransaction } from '../../harness/open-transaction.ts'
import { patiently } from '../../harness/patiently.ts'
import { seeded } from '../../harness/seeded.ts'
import { type Client, startService, waitForLog } from '../../harness/service.ts'
import { skipTime } from '../../harness/skip-time.ts'
import { latest, type OpenStream, openStream } from './reader.ts'

const heartbeatMs = 50_000
const service = await startService({ env: { EVENT_HEARTBEAT_SECONDS: '50', EVENT_STREAMS_PER_KEY: '3' } })
const admin = service.admin
afterAll(() => service.stop())

const open = (client: Client, query = '', headers?: Record<string, string>): Promise<OpenStream> =>
  openStream(`${service.url}/events/stream${query}`, client.secret as string, headers)

test('events arrive as they happen, with the id to continue from', async () => {
  const stream = await open(admin, '?type=category.*&type=pet.created')
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await stream.until(() => stream.text().startsWith('retry: '))
  const petId = await admin.newPet(4)
  await stream.until(() => stream.events.length === 2)
  expect(stream.events.map(({ type }) => type)).toEqual(['category.created', 'pet.created'])
  expect(stream.events[1]?.data.id).toBe(petId)
  const { id } = stream.events[1] as { id: string }
  expect(stream.text()).toContain(`id: ${id}\ndata: {"id":"${id}"`)
  const { body } = await admin.get(`/events?after=${stream.events[0]?.id}&type=pet.created`)
  expect(body).toEqual([stream.events[1]])
  stream.close()
})

test.if(process.env.TEST_ENGINE === 'postgres')(
  'while a transaction is open in another database, events wait; list and stream then have each once',
  async () => {
    const after = await latest(admin)
    const stream = await open(admin, `?type=category.created&after=${after}`)
    const names: string[] = []
    await (async () => {
      await using _open = await openTransaction()
      for (const name of ['Held', 'back']) names.push((await admin.post('/categories', { name })).body.name)
      const response = await fetch(`${service.url}/events?after=${after}`, {
        headers: { 'X-API-Key': service.adminSecret },
      })
      expect(await response.json()).toEqual([])
      expect(stream.events).toEqual([])
    })()
    await stream.until(() => stream.events.length === 2)
    expect(stream.events.map(({ data }) => data.name)).toEqual(names)
    expect((await admin.get(`/events?after=${after}&type=category.created`)).body).toEqual(stream.events)
    stream.close()
  },
)

test('an interrupted stream continues after the last id, which takes precedence over the parameter', async () => {
  const start = await latest(admin)
  const first = await open(admin, '?type=category.created')
  await first.until(() => first.lastId() !== undefined)
  await admin.newCategory('One')
  await first.until(() => first.events.length === 1)
  first.close()
  await admin.newCategory('Two')
  const again = await open(admin, `?type=category.created&after=${start}`, {
    'Last-Event-ID': first.lastId() as string,
  })
  await again.until(() => again.events.length === 1)
  expect(again.events.map(({ data }) => data.name)).toEqual(['Two'])
  again.close()
  const whole = await open(admin, `?type=category.created&after=${start}`)
  await whole.until(() => whole.events.length === 2)
  expect(whole.events.map(({ data }) => data.name)).toEqual(['One', 'Two'])
  whole.close()
})

test('without visible events there is a heartbeat, and the id advances', async () => {
  const client = await service.newClient({ scopes: ['orders:read'] })
  const stream = await open(client)
  await stream.until(() => stream.lastId() !== undefined)
  const before = stream.lastId()
  await admin.newCategory()
  await waitForLog(service.context.db)
  skipTime(heartbeatMs)
  await stream.until(() => stream.text().includes(':\n') && stream.lastId() !== before)
  expect(stream.events).toEqual([])
  stream.close()
})

test('a key may have a limited number of open streams, and closing one makes room', async () => {
  const client = await service.newClient()
  const streams = await Promise.all([open(client), open(client), open(client)])
  const rejected = await client.get('/events/stream')
  expect([rejected.status, rejected.body.code]).toEqual([409, 'too_many_streams'])
  // Those of another key do not count.
  const ofAnother = await open(await service.newClient())
  expect(ofAnother.status).toBe(200)
  ofAnother.close()
  await eventually(() => service.context.streams.count() === 3)
  // HEAD opens no stream.
  streams[0]?.close()
  await eventually(() => service.context.streams.count() === 2)
  for (let times = 0; times < 5; times++) expect((await client.send('HEAD', '/events/stream')).status).toBe(200)
  const another = await open(client)
  expect(another.status).toBe(200)
  for (const stream of [...streams, another]) stream.close()
  await eventually(() => service.context.streams.count() === 0)
})

test('opening a stream costs one request', async () => {
  const client = await service.newClient()
  const left = async () => Number((await client.get('/limits')).body.windows[0].remaining)
  const before = await left()
  const stream = await open(client)
  await stream.until(() => stream.lastId() !== undefined)
  expect(await left()).toBe(before - 1)
  stream.close()
})

test.if(process.env.TEST_ENGINE === 'postgres')('a stream that is rejected by a limit does not open', async () => {
  const limits = { perMinute: 100, perDay: 1_000 }
  const client = await service.newClient({ plan: 'enterprise', limits })
  await client.get('/pets')
  // Another node has used the rest of the minute.
  await service.context.db.query(`UPDATE rate_counters SET used = 100 WHERE subject = $1 AND period = 'minute'`, [
    `key:${client.keyId}`,
  ])
  const before = service.context.streams.count()
  expect((await client.get('/events/stream')).body.code).toBe('rate_limited')
  expect(service.context.streams.count()).toBe(before)
})

test('a stream ends when its key is revoked, banned or expires', async () => {
  const make = async (key: Record<string, unknown> = {}) => {
    const { body } = await admin.post('/keys', { name: 'Eve', plan: 'free', preset: 'reader', ...key })
    const stream = await openStream(`${service.url}/events/stream`, body.secret)
    await stream.until(() => stream.lastId() !== undefined)
    return { id: body.id as number, stream, client: service.as(body.secret) }
  }
  const revoked = await make()
  await admin.delete(`/keys/${revoked.id}`)
  expect(await revoked.stream.end()).toBe('ended')

  const banned = await make()
  await getBanned(service, banned.client)
  expect(await banned.stream.end()).toBe('ended')

  const expired = await make({ expiresAt: new Date(service.clock.now() + 3_600_000).toISOString() })
  service.clock.advance(3_600_000)
  expect(await expired.stream.end()).toBe('ended')
  expect(service.context.streams.count()).toBe(0)
})

test('after a change of its scopes a key sees no event that it may no longer see', async () => {
  const petId = await admin.newPet(1)
  const { body } = await admin.post('/keys', { name: 'Dan', plan: 'free', scopes: ['pets:read'] })
  await waitForLog(service.context.db)
  const stream = await openStream(`${service.url}/events/stream`, body.secret)
  await stream.until(() => stream.lastId() !== undefined)
  const seen = (subject: string) => stream.events.filter(({ type }) => type.startsWith(subject))
  const addStock = () => admin.post(`/store/inventory/${petId}/adjustments`, { delta: 1 })
  const setScopes = (...scopes: string[]) => admin.patch(`/keys/${body.id}`, { scopes })
  await addStock()
  for (let round = 1; round <= 3; round++) {
    await setScopes('pets:read')
    await admin.newCategory('Seen')
    await stream.until(() => seen('category').length === round)
    // The stream has just checked its key, and has to check it again.
    await setScopes('inventory:read')
    await admin.newCategory('Not seen')
    const { quantity } = (await addStock()).body
    await stream.until(() => seen('inventory').some(({ data }) => data.quantity === quantity))
  }
  expect(new Set(seen('inventory').map(({ id }) => id)).size).toBe(seen('inventory').length)
  expect(seen('inventory').length).toBe(3)
  expect(seen('category').map(({ data }) => data.name)).toEqual(['Seen', 'Seen', 'Seen'])
  stream.close()
})

test('a client that reconnects 50 times during 2,000 events misses none and sees none twice', async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`streams: SEED=${seed}\n`)
  const below = seeded(seed)
  const from = await latest(admin)
  const writer = await service.newClient({ preset: 'staff' })
  const petId = await admin.newPet(1_000_000)
  const quantities = Array.from({ length: 2_000 }, (_, index) => 2_000_000 + index)
  const seen: { id: string; quantity: number }[] = []
  let lastId = from
  /** Reads until this many events have arrived, and disconnects. */
  async function readMore(count: number): Promise<void> {
    const stream = await patiently(() => open(writer, '?type=inventory.changed', { 'Last-Event-ID': lastId }))
    // A busy service may cut it first, which makes no difference to a client that reconnects.
    await stream.until(() => stream.events.length >= count).catch(() => undefined)
    seen.push(...stream.events.map(({ id, data }) => ({ id, quantity: Number(data.quantity) })))
    lastId = stream.lastId() as string
    stream.close()
  }
  for (let round = 0; round < 50; round++) {
    const some = quantities.slice(round * 40, round * 40 + 40)
    const writing = some.map((quantity) => patiently(() => writer.put(`/store/inventory/${petId}`, { quantity })))
    await Promise.all([readMore(1 + below(40)), ...writing])
  }
  const ofTest = () => seen.filter(({ quantity }) => quantity >= 2_000_000)
  while (ofTest().length < quantities.length) await readMore(1)
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
  expect(
    ofTest()
      .map(({ quantity }) => quantity)
      .toSorted((one, other) => one - other),
  ).toEqual(quantities)
}, 300_000)

test('a client that takes no data is cut off, and nothing is kept for it', async () => {
  const client = await service.newClient()
  const from = await latest(admin)
  const description = 'x'.repeat(2_000)
  await service.context.db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       SELECT (SELECT max(tx) FROM events), 'category.created', '{"id":1,"name":"${description}"}', i FROM n`,
    ),
  )
  // It may be cut off so soon that its count is never seen.
  const { streams } = service.context
  const { open } = streams
  let isOpened = false
  Object.assign(streams, {
    open(request: Parameters<typeof open>[0]) {
      isOpened = true
      return open(request)
    },
  })
  const { hostname, port } = new URL(service.url)
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.pause()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  socket.on('error', () => resolve())
  socket.on('close', () => resolve())
  socket.write(
    `GET /events/stream?after=${from} HTTP/1.1\r\nHost: petstore.test\r\nX-API-Key: ${client.secret}\r\n\r\n`,
  )
  await eventually(() => isOpened)
  // What its buffers take counts as taken, and they fill first.
  await eventually(() => {
    skipTime(2 * heartbeatMs)
    return streams.count() === 0
  })
  Object.assign(streams, { open })
  socket.resume()
  await closed
})

test('a client has two heartbeats to take what was sent', async () => {
  let isEnded = false
  const stream = createStream({
    heartbeatMs: 60_000,
    position: { tx: 1, id: 1 },
    read: async () => [],
    findView: async () => undefined,
    onEnd() {
      isEnded = true
    },
  })
  stream.tick()
  expect(isEnded).toBeFalse()
  skipTime(120_001)
  stream.tick()
  expect(isEnded).toBeTrue()
})

test('a node that stops ends its streams cleanly and opens no more', async () => {
  const own = await startService()
  try {
    const stream = await openStream(`${own.url}/events/stream`, own.adminSecret)
    await stream.until(() => stream.lastId() !== undefined)
    own.context.streams.close()
    expect(await stream.end()).toBe('ended')
    const rejected = await own.admin.get('/events/stream')
    expect([rejected.status, rejected.body.code, rejected.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      '1',
    ])
  } finally {
    await own.stop()
  }
})

test('stopping a node ends the streams that are open, and waits for none of them', async () => {
  const own = await startService()
  const stream = await openStream(`${own.url}/events/stream`, own.adminSecret)
  await stream.until(() => stream.lastId() !== undefined)
  const stopped = own.stop()
  expect(await stream.end()).toBe('ended')
  await stopped
})
