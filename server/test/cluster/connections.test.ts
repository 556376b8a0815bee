import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { divide } from '../../src/platform/db/postgres-connections.ts'
import { eventually } from '../harness/eventually.ts'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'
import { patiently } from '../harness/patiently.ts'
import { type PostgresServer, startPostgres } from '../harness/run/embedded-postgres.ts'
import type { RunningService } from '../harness/run/run-service.ts'

test.each([6, 7, 9, 10, 15, 40, 1_000])('%d connections are divided, with three for other purposes', (connections) => {
  const { counters, reads, work } = divide(connections)
  expect(counters + reads + work + 3).toBe(connections)
  expect(Math.min(counters, reads, work)).toBeGreaterThan(0)
})

/** For 24 connections of nodes: less than two nodes would take. */
const connectionsMax = 30

describe.if(process.env.TEST_ENGINE === 'postgres')('the connections of nodes', () => {
  let server: PostgresServer
  let sql: SQL
  const clusters: Nodes[] = []
  beforeAll(async () => {
    server = await startPostgres(undefined, { settings: ['fsync=off', `max_connections=${connectionsMax}`] })
    sql = new SQL(server.url, { max: 1 })
  })
  afterAll(async () => {
    for (const cluster of clusters) await cluster.stop()
    await sql.close()
    await server.remove()
  })

  /** A node on a new database. */
  async function startOn(database: string, env: Record<string, string>): Promise<Nodes> {
    await sql.unsafe(`CREATE DATABASE ${database}`)
    const cluster = await startNodes(1, { METRICS_PORT: '0', ...env }, new URL(`/${database}`, server.url).href)
    clusters.push(cluster)
    return cluster
  }

  const openConnections = async (): Promise<number> =>
    (await sql.unsafe("SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name LIKE 'petstore%'"))[0]
      .open

  /** Orders and reads at all nodes. Returns the most connections that were seen meanwhile. */
  async function mostUnderLoad({ nodes, adminSecret }: Nodes): Promise<number> {
    const send = (turn: number, method: string, path: string, body?: unknown) =>
      patiently(() => call(nodes[turn % nodes.length]?.url ?? '', adminSecret, method, path, body))
    const { body: category } = await send(0, 'POST', '/categories', { name: 'Fish' })
    const { body: pet } = await send(0, 'POST', '/pets', { name: 'Guppy', categoryId: category.id })
    await send(0, 'PUT', `/store/inventory/${pet.id}`, { quantity: 1_000 })
    let [isOver, most] = [false, 0]
    const watching = (async () => {
      while (!isOver) most = Math.max(most, await openConnections())
    })()
    const responses = await Promise.all(
      Array.from({ length: 300 }, (_, turn) =>
        turn % 2 === 0 ? send(turn >> 1, 'POST', '/store/orders', { petId: pet.id }) : send(turn >> 1, 'GET', '/pets'),
      ),
    )
    isOver = true
    await watching
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]))
    return most
  }

  /** How many connections a node may have, by its metrics; one more listens. */
  async function allowed({ metricsPort }: RunningService): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const pools = text.matchAll(/^petstore_pool_connections_max\{.*\} (\d+)$/gm)
    return pools.reduce((sum, [, max]) => sum + Number(max), 1)
  }

  test('are no more than DATABASE_CONNECTIONS, whatever they are for', async () => {
    const cluster = await startOn('given', { DATABASE_CONNECTIONS: '7' })
    expect(await allowed(cluster.nodes[0] as RunningService)).toBe(7)
    expect(await mostUnderLoad(cluster)).toBeLessThanOrEqual(7)
    await cluster.stop()
  })

  test('are what the server has for each live node, if no number is given', async () => {
    await eventually(async () => (await openConnections()) === 0, openConnections)
    const cluster = await startOn('fitting', {})
    let live = cluster.nodes
    const shares = () => Promise.all(live.map(allowed))
    const share = (each: number) => eventually(async () => (await shares()).every((share) => share === each), shares)
    await share(15)
    await cluster.start()
    await cluster.start()
    await share(8)
    expect(await mostUnderLoad(cluster)).toBeLessThanOrEqual(24)
    await cluster.nodes[0]?.kill('SIGKILL')
    live = cluster.nodes.slice(1)
    await share(12)
  })
})
