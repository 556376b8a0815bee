import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { minuteMs } from '../../src/platform/lib/time.ts'
import { eventually } from '../harness/eventually.ts'
import { burstMs } from '../harness/flood.ts'
import { leapingClock } from '../harness/leaping-clock.ts'
import { call, metricOf, type Nodes, startNodes } from '../harness/nodes.ts'
import { repository } from '../harness/repository-files.ts'
import { debianProgram } from '../harness/run/debian-program.ts'
import { type PostgresServer, startPostgres } from '../harness/run/embedded-postgres.ts'
import { fakedClock } from '../harness/run/faketime.ts'
import { startPrometheus } from '../harness/run/prometheus.ts'
import type { RunningService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

// Two nodes on one database: the clock of the first is right, that of the second is wrong.

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const isPossible = onPostgres && fakedClock('') !== undefined
/** The documented limit is a second, and usually it is milliseconds; a busy test machine gets more. */
const soonMs = 10_000

/** The clock offset of the second node at its start, and while it runs. */
const cases: [name: string, atStart: string, later: string][] = [
  ['a day ahead', '+86400s', '+86400s'],
  ['set forward while it runs', '+0s', '+86400s'],
  ['set back while it runs', '+0s', '-300s'],
]
if (process.env.TORTURE) {
  cases.push(['five minutes ahead', '+300s', '+300s'], ['five minutes behind', '-300s', '-300s'])
}

let postgres: PostgresServer
if (isPossible) {
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.remove())
}

describe.if(isPossible).each(cases)('a node whose clock is %s', (_, atStart, later) => {
  const directory = newDirectory()
  const clockFile = join(directory.path, 'clock')
  /** Moves both nodes; the second stays as wrong as it is. */
  const clock = leapingClock(join(directory.path, 'leap'))
  let cluster: Nodes
  let sql: SQL
  beforeAll(async () => {
    writeFileSync(clockFile, atStart)
    const database = `clocks_${crypto.randomUUID().replaceAll('-', '')}`
    await using server = new SQL(postgres.url, { max: 1 })
    await server.unsafe(`CREATE DATABASE ${database} TEMPLATE postgres`)
    const url = new URL(postgres.url)
    url.pathname = `/${database}`
    const env = { WEBHOOK_ALLOW_PRIVATE: 'true', METRICS_PORT: '0', LEAP_FILE: clock.file }
    cluster = await startNodes(1, env, url.href)
    await cluster.start(fakedClock(clockFile))
    writeFileSync(clockFile, later)
    sql = new SQL(url.href, { max: 1 })
  })
  afterAll(async () => {
    await sql.close()
    await cluster.stop()
    directory[Symbol.dispose]()
  })

  const second = () => cluster.nodes[1] as RunningService
  const urlOf = (node: number) => cluster.nodes[node % 2]?.url ?? ''
  const send = (node: number, secret: string, method: string, path: string, body?: unknown, headers = {}) =>
    call(urlOf(node), secret, method, path, body, headers)
  const admin = (node: number, method: string, path: string, body?: unknown, headers = {}) =>
    send(node, cluster.adminSecret, method, path, body, headers)
  const newKey = async (key: object = { plan: 'free' }) =>
    (await admin(0, 'POST', '/keys', { name: 'Test', preset: 'client', ...key })).body as { id: number; secret: string }
  const statusOn = async (node: number, secret: string) => (await send(node, secret, 'GET', '/pets?limit=1')).status

  const codeOn = async (node: number, secret: string) => (await send(node, secret, 'GET', '/pets?limit=1')).body.code

  async function rejectedSoon(node: number, secret: string, code: string): Promise<void> {
    const since = performance.now()
    await eventually(async () => (await codeOn(node, secret)) === code)
    expect(performance.now() - since).toBeLessThan(soonMs)
  }

  test('reports it in its log, its metrics and /readyz, and works', async () => {
    const off = Number.parseInt(later, 10)
    await eventually(() => cluster.nodes[1]?.errors().includes("this machine's clock differs from the database's"))
    const ready = await fetch(`${urlOf(1)}/readyz`)
    const body = (await ready.json()) as { clockAheadSeconds: number }
    expect([ready.status, body]).toMatchObject([200, { status: 'ok', clock: 'off' }])
    expect(Math.round(body.clockAheadSeconds / 10) * 10).toBe(off)
    expect(Math.round((await metricOf(second(), 'petstore_clock_offset_seconds')) / 10) * 10).toBe(off)
    expect(await (await fetch(`${urlOf(0)}/readyz`)).json()).toMatchObject({ clock: 'ok' })
  })

  const prometheus = process.env.TORTURE ? debianProgram('prometheus') : undefined
  if (prometheus !== undefined)
    test('the alert about its clock fires', async () => {
      const rules = readFileSync(join(repository, 'deploy/observability/alerts.yaml'), 'utf8')
      await using scraper = await startPrometheus(prometheus, second().metricsPort, rules)
      await eventually(async () => (await scraper.firing()).has('PetstoreClockOff'))
    })

  test('a limit of 60 admits 60 on both nodes together', async () => {
    const { secret } = await newKey()
    clock.startMinute()
    const responses = await Promise.all(Array.from({ length: 120 }, (_, index) => statusOn(index, secret)))
    expect(responses.filter((status) => status === 200)).toHaveLength(60)
  })

  test('an Idempotency-Key places one order, on any node', async () => {
    const { id: categoryId } = (await admin(0, 'POST', '/categories', { name: 'Fish' })).body
    const { id: petId } = (await admin(0, 'POST', '/pets', { name: 'Guppy', categoryId })).body
    await admin(0, 'PUT', `/store/inventory/${petId}`, { quantity: 100 })
    for (const first of [0, 1]) {
      const headers = { 'Idempotency-Key': crypto.randomUUID() }
      const order = (node: number) => admin(node, 'POST', '/store/orders', { petId }, headers)
      const placed = [await order(first), await order(first + 1), await order(first)]
      expect(new Set(placed.map(({ body }) => body.id)).size).toBe(1)
    }
  })

  test('a key that expires in three minutes works on both nodes, and an expired one on none', async () => {
    const endsAt = (ms: number) => new Date(Date.now() + clock.leapt() + ms).toISOString()
    const { secret } = await newKey({ plan: 'free', expiresAt: endsAt(3 * minuteMs) })
    expect([await statusOn(0, secret), await statusOn(1, secret)]).toEqual([200, 200])
    clock.leap(3 * minuteMs)
    expect([await statusOn(0, secret), await statusOn(1, secret)]).toEqual([401, 401])
  })

  test.each([0, 1])('a ban by node %d applies on the other within a second', async (node) => {
    const { secret } = await newKey()
    clock.startMinute()
    await Promise.all(Array.from({ length: 60 }, () => statusOn(node, secret)))
    expect(await statusOn(node, secret)).toBe(429)
    clock.leap(burstMs)
    await eventually(async () => (await codeOn(node, secret)) === 'key_banned')
    await rejectedSoon(node + 1, secret, 'key_banned')
  })

  test('a key that is revoked on one node is rejected on the other within a second', async () => {
    for (const node of [0, 1]) {
      const { id, secret } = await newKey()
      expect([await statusOn(0, secret), await statusOn(1, secret)]).toEqual([200, 200])
      await admin(node, 'DELETE', `/keys/${id}`)
      await rejectedSoon(node + 1, secret, 'invalid_api_key')
    }
  })

  test('the same while no notification reaches it', async () => {
    const listeners: { pid: number }[] = await sql.unsafe(
      "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    )
    expect(listeners.length).toBeGreaterThanOrEqual(2)
    const { id, secret } = await newKey()
    expect([await statusOn(0, secret), await statusOn(1, secret)]).toEqual([200, 200])
    for (const { pid } of listeners) process.kill(pid, 'SIGSTOP')
    try {
      await admin(0, 'DELETE', `/keys/${id}`)
      await rejectedSoon(1, secret, 'invalid_api_key')
    } finally {
      for (const { pid } of listeners) process.kill(pid, 'SIGCONT')
    }
  })

  test('no event is sent twice while an attempt is running', async () => {
    const releases: (() => void)[] = []
    await using receiver = await startReceiver((_, response) => {
      releases.push(() => response.writeHead(204).end())
    })
    await admin(0, 'POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
    const names = Array.from({ length: 10 }, (_, index) => `Category ${index}`)
    await Promise.all(names.map((name, index) => admin(index, 'POST', '/categories', { name })))
    await eventually(() => receiver.received.length >= 5)
    // A check for due deliveries reads the webhooks up to three times, so after that each node has made another one.
    const readsOf = (node: RunningService) =>
      metricOf(node, 'petstore_statements_total\\{statement="SELECT webhooks"\\}')
    const before = await Promise.all(cluster.nodes.map(readsOf))
    await eventually(async () => {
      const reads = await Promise.all(cluster.nodes.map(readsOf))
      return reads.every((count, node) => count >= (before[node] ?? 0) + 6)
    })
    receiver.response = 204
    for (const response of releases) response()
    await eventually(() => receiver.received.length >= names.length)
    expect(receiver.received.map(({ event }) => event.data.name).sort()).toEqual(names)
  })
})
