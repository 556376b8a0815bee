import { afterEach, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { call, startNodes } from '../harness/nodes.ts'
import { imbalances, startLoad } from '../harness/order-load.ts'
import { type PatroniCluster, startPatroni } from '../harness/patroni.ts'
import { debianProgram } from '../harness/run/debian-program.ts'
import { debianPostgres } from '../harness/run/test-postgres.ts'

// Only with `npm run test:all -- --torture`: it takes minutes. docs/evidence.md has the figures of a run.

const torture = process.env.TORTURE !== undefined && process.env.TEST_ENGINE === 'postgres'
const rounds = Number(process.env.FAILOVERS ?? 10)

/** The programs, or undefined if this machine does not have them. */
function findPrograms() {
  const patroni = debianProgram('patroni')
  const etcd = debianProgram('etcd', ['etcd-server'])
  const postgres = debianPostgres()
  return patroni && etcd && postgres ? { patroni, etcd, postgres } : undefined
}
const programs = torture ? findPrograms() : undefined

const limit = 60
const minuteMs = 60_000

/** Sends requests with a key of 60 a minute, for most of each minute, and waits for the next one after a 429. Counts those that were served. */
function useUpLimit(urls: readonly string[], secret: string) {
  const served = new Map<number, number>()
  let isStopped = false
  async function work(): Promise<void> {
    for (let turn = 0; !isStopped; turn++) {
      const response = await call(urls[turn % urls.length] ?? '', secret, 'GET', '/pets?limit=1').catch(() => undefined)
      // By the database's clock, which decides the window.
      const minute = (Number(response?.headers.get('x-ratelimit-reset')) * 1_000) / minuteMs - 1
      if (response?.status === 200) served.set(minute, (served.get(minute) ?? 0) + 1)
      const untilNext = response?.status === 429 ? minuteMs - (Date.now() % minuteMs) : 600
      for (let left = untilNext; left > 0 && !isStopped; left -= 200) await Bun.sleep(Math.min(200, left))
    }
  }
  const working = work()
  return {
    served,
    async stop() {
      isStopped = true
      await working
    },
  }
}

/** Reads the log from its beginning, from any node that responds, and keeps reading. */
function readEvents(urls: readonly string[], secret: string) {
  const [ids, orders] = [new Set<string>(), new Set<number>()]
  let [isStopped, twice] = [false, 0]
  async function read(): Promise<void> {
    let after = ''
    for (let turn = 0; !isStopped; turn++) {
      const path = `/events?type=order.placed&limit=100${after && `&after=${after}`}`
      const page = await call(urls[turn % urls.length] ?? '', secret, 'GET', path).catch(() => undefined)
      const events: { id: string; data: { id: number } }[] = page?.status === 200 ? page.body : []
      for (const { id, data } of events) {
        if (ids.has(id)) twice++
        ids.add(id)
        orders.add(data.id)
      }
      after = events.at(-1)?.id ?? after
      if (events.length < 100) await Bun.sleep(50)
    }
  }
  const reading = read()
  return {
    orders,
    twice: () => twice,
    async stop() {
      isStopped = true
      await reading
    },
  }
}

const failovers = () => {
  let database: PatroniCluster | undefined
  afterEach(() => database?.remove())

  async function failOver(synchronous: boolean, times: number) {
    database = await startPatroni(programs as NonNullable<typeof programs>, synchronous)
    const cluster = await startNodes(3, {}, database.url)
    const urls = cluster.nodes.map(({ url }) => url)
    const admin = (method: string, path: string, body: unknown) =>
      call(urls[0] ?? '', cluster.adminSecret, method, path, body)
    const ample = { plan: 'enterprise', limits: { perMinute: 1_000_000, perDay: 1_000_000 } }
    const { secret } = (await admin('POST', '/keys', { name: 'Load', preset: 'client', ...ample })).body
    const few = { plan: 'enterprise', limits: { perMinute: limit, perDay: 1_000_000 } }
    const small = (await admin('POST', '/keys', { name: 'Small', preset: 'client', ...few })).body.secret
    const { body: category } = await admin('POST', '/categories', { name: 'Fish' })
    const { body: pet } = await admin('POST', '/pets', { name: 'Guppy', categoryId: category.id })
    await admin('PUT', `/store/inventory/${pet.id}`, { quantity: 1_000_000 })

    const load = startLoad(urls, secret, pet.id, 3)
    const [events, limited] = [readEvents(urls, secret), useUpLimit(urls, small)]
    const count = (status: number) => load.statuses.get(status) ?? 0
    const outages: { whole: boolean; seconds: number }[] = []
    const touched = new Set<number>()
    for (let round = 0; round < times; round++) {
      await eventually(() => count(201) > 20 * (round + 1))
      const { name } = await database.primary()
      const whole = round % 2 === 0
      const failed = count(503) + count(0)
      const killedAt = performance.now()
      touched.add(Math.floor(Date.now() / minuteMs))
      database.kill(name, whole)
      await eventually(() => count(503) + count(0) > failed)
      const placed = count(201)
      await eventually(() => count(201) > placed)
      outages.push({ whole, seconds: (performance.now() - killedAt) / 1_000 })
      touched.add(Math.floor(Date.now() / minuteMs))
      await database.repair()
    }
    await load.stop()
    // A whole minute without a failover.
    const isOver = (minute: number) => Date.now() > (minute + 1) * minuteMs
    if (synchronous)
      await eventually(() => limited.served.keys().some((minute) => !touched.has(minute) && isOver(minute)))
    await limited.stop()
    const placed = new Set([...load.placed, ...load.cancelled])
    const lost = (await imbalances((await database.primary()).url, load)).filter((line) => line.endsWith('is gone'))
    if (lost.length === 0) await eventually(() => placed.isSubsetOf(events.orders))
    await events.stop()
    const wrong = await imbalances((await database.primary()).url, load)
    await cluster.stop()
    const minutes = [...limited.served].map(([minute, served]) => ({ served, touched: touched.has(minute) }))
    const statuses = Object.fromEntries(load.statuses)
    process.stdout.write(`${JSON.stringify({ synchronous, outages, statuses, lost: lost.length, minutes })}\n`)
    return { wrong, lost, minutes, twice: events.twice(), others: urls.length - 1 }
  }

  test('synchronous: no acknowledged order is lost, no event is missed, and limits stay exact, but for one request of each other node', async () => {
    const { wrong, minutes, twice, others } = await failOver(true, rounds)
    expect([wrong, twice]).toEqual([[], 0])
    for (const { served, touched } of minutes) expect(served).toBeLessThanOrEqual(limit + (touched ? others : 0))
  })

  test('asynchronous: orders may be lost, what is left is consistent, and no event is seen twice', async () => {
    const { wrong, lost, twice } = await failOver(false, Math.ceil(rounds / 3))
    expect(wrong.filter((line) => !lost.includes(line) && !line.endsWith('is still there'))).toEqual([])
    expect(twice).toBe(0)
  })
}

if (process.env.TORTURE)
  describe.if(programs !== undefined)('under Patroni, with the primary killed again and again', failovers)
