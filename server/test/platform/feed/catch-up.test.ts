import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from '../../../src/platform/db/database.ts'
import { type Position, parseEventId } from '../../../src/platform/events/position.ts'
import { createTail } from '../../../src/platform/feed/tail.ts'
import { createTurns } from '../../../src/platform/feed/turns.ts'
import { eventually } from '../../harness/eventually.ts'
import { type Client, type Service, startService, waitForLog } from '../../harness/service.ts'
import { latest, openStream } from './reader.ts'

let service: Service
let admin: Client
let db: Database
beforeEach(async () => {
  service = await startService()
  admin = service.admin
  db = service.context.db
})
afterEach(() => service.stop())

/** Adds category events to the log, and returns the position before them. */
async function fillLog(count: number): Promise<string> {
  const from = await latest(admin)
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       SELECT (SELECT max(tx) FROM events), 'category.created', '{"id":1,"name":"Fish"}', i FROM n`,
    ),
  )
  await waitForLog(db)
  return from
}

const open = (from: string, secret: string) => openStream(`${service.url}/events/stream?after=${from}`, secret)

const isOfLog = (sql: string): boolean => sql.includes('data, previous') && sql.includes('ORDER BY')

/** Records reads of the log: how often each row, and in which ticks of the event loop. */
function watchReads() {
  const ticks: number[] = []
  const timesRead = new Map<number, number>()
  let tick = 0
  let spinning = setImmediate(function spin() {
    tick++
    spinning = setImmediate(spin)
  })
  const { query } = db
  const queryAndCount: Database['query'] = async <R>(sql: string, params?: Parameters<Database['query']>[1]) => {
    const startTick = tick
    const found = await query<R>(sql, params)
    if (isOfLog(sql) && found.length > 0) ticks.push(startTick)
    for (const { id } of isOfLog(sql) ? (found as { id: number }[]) : [])
      timesRead.set(id, (timesRead.get(id) ?? 0) + 1)
    return found
  }
  Object.assign(db, { query: queryAndCount })
  return { timesRead, ticks, stop: () => clearImmediate(spinning) }
}

/** Lets no stream read the log until the function that it returns is called, however long that takes. */
function holdReads(): () => void {
  const { promise: mayRead, resolve: release } = Promise.withResolvers<void>()
  const { query } = db
  const queryLater: Database['query'] = async <R>(sql: string, params?: Parameters<Database['query']>[1]) => {
    if (isOfLog(sql)) await mayRead
    return query<R>(sql, params)
  }
  Object.assign(db, { query: queryLater })
  return release
}

test('streams that catch up take turns by key, one at a time', async () => {
  const turns = createTurns()
  const [began, ended]: [number[], number[]] = [[], []]
  const read = (keyId: number) =>
    turns.take(keyId, async () => {
      expect(ended).toEqual(began)
      began.push(keyId)
      await Bun.sleep(20)
      ended.push(keyId)
    })
  await Promise.all([1, 1, 1, 2, 3, 2].map(read))
  expect(ended).toEqual([1, 1, 2, 3, 1, 2])
})

test('ten streams that catch up read no row twice and free the event loop after every batch', async () => {
  const [streamCount, eventCount] = [10, 1_000]
  const client = await service.newClient()
  const from = await fillLog(eventCount)
  const reads = watchReads()
  const streams = await Promise.all(Array.from({ length: streamCount }, () => open(from, client.secret as string)))
  const seen = () => streams.reduce((sum, { events }) => sum + events.length, 0)
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  expect(seen()).toBeLessThan(streamCount * eventCount)
  for (const stream of streams) await stream.until(() => stream.events.length >= eventCount)
  reads.stop()
  expect(seen()).toBe(streamCount * eventCount)
  // Once by each stream. On PostgreSQL the log may begin with events of the keys, which an older transaction delayed.
  expect(Math.max(...reads.timesRead.values())).toBe(streamCount)
  expect(reads.ticks.length).toBeGreaterThanOrEqual((streamCount * eventCount) / 100)
  // A timer that was due may still run in the tick that just ended.
  const perTick = Map.groupBy(reads.ticks, (tick) => tick)
    .values()
    .map((batches) => batches.length)
  expect(Math.max(...perTick)).toBeLessThanOrEqual(2)
  for (const stream of streams) stream.close()
})

test('a key with one stream waits for one batch of a key with many streams, not for all of them', async () => {
  const [many, one] = [await service.newClient(), await service.newClient()]
  const from = await fillLog(1_500)
  // No one reads before all have asked.
  const begin = holdReads()
  const crowd = await Promise.all(Array.from({ length: 9 }, () => open(from, many.secret as string)))
  const single = await open(from, one.secret as string)
  for (const stream of [...crowd, single]) await stream.until(() => stream.text().startsWith('retry: '))
  begin()
  await single.until(() => single.events.length === 1_500)
  // With turns by stream, each of the crowd would be as far as the single one; with turns by key, all of them together are.
  const ahead = crowd.filter(({ events }) => events.length > 750)
  expect(ahead.length).toBe(0)
  for (const stream of [...crowd, single]) stream.close()
})

test.if(process.env.TEST_ENGINE === 'postgres')(
  'a stream survives reads that are slower than the check of its key',
  async () => {
    const total = 6_000
    const from = await fillLog(total)
    const begin = holdReads()
    const stream = await open(from, admin.secret as string)
    await db.transaction(async (tx) => {
      await tx.query('LOCK TABLE event_log IN ACCESS EXCLUSIVE MODE')
      begin()
      await tx.query('SELECT pg_sleep(1.5)')
    })
    await stream.until(() => stream.events.length === total)
    stream.close()
  },
)

test('the end of the log in memory is a thousand events, and positions before it are read from the log', async () => {
  const positionNow = async () => parseEventId(await latest(admin)) as Position
  const tail = createTail(db, () => undefined)
  const start = await positionNow()
  let timesGrown = 0
  const unfollow = tail.follow(() => timesGrown++)
  await eventually(() => tail.after(start)?.length === 0)
  await fillLog(1_200)
  const { tx, id } = await positionNow()
  await eventually(() => tail.after({ tx, id: id - 1 })?.length === 1)
  expect(tail.after({ tx, id: id - 1_000 })).toHaveLength(1_000)
  expect(tail.after({ tx, id: id - 1_001 })).toBeUndefined()
  expect(tail.after(start)).toBeUndefined()
  expect(timesGrown).toBeGreaterThan(0)
  unfollow()
  // Without followers it keeps nothing, and reads nothing.
  await eventually(() => tail.after({ tx, id }) === undefined)
})

test('an unexpected error cuts a stream and is logged', async () => {
  const from = await fillLog(1)
  await db.transaction((tx) => tx.query('ALTER TABLE event_log RENAME COLUMN pruned_id TO gone'))
  // Before the head of the response is sent, or after it.
  const ended = await open(from, admin.secret as string)
    .then((stream) => stream.end())
    .catch(() => 'cut')
  expect(ended).toBe('cut')
  const lines = service.logged.filter((line) => line.includes('an event stream failed'))
  expect(lines.length).toBeGreaterThanOrEqual(1)
  expect(lines[0]).toContain('pruned_id')
})
