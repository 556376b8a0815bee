import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { leapingClock } from '../harness/leaping-clock.ts'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'
import { patiently } from '../harness/patiently.ts'
import { newDirectory } from '../harness/scratch.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const rounds = process.env.TORTURE ? 10 : 2

describe.if(onPostgres)('four nodes on one PostgreSQL', () => {
  const directory = newDirectory()
  const clock = leapingClock(join(directory.path, 'leap'))
  let cluster: Nodes
  let sql: SQL
  beforeAll(async () => {
    cluster = await startNodes(4, { LEAP_FILE: clock.file })
    sql = new SQL(cluster.databaseUrl, { max: 1 })
  })
  afterAll(async () => {
    await sql.close()
    await cluster.stop()
    directory.remove()
  })

  const nodeUrl = (index: number) => cluster.nodes[index % cluster.nodes.length]?.url ?? ''
  const admin = (method: string, path: string, body?: unknown, headers = {}) =>
    call(nodeUrl(0), cluster.adminSecret, method, path, body, headers)
  const newKey = async (plan: object) =>
    (await admin('POST', '/keys', { name: 'Test', preset: 'client', ...plan })).body
  const ample = { plan: 'enterprise', limits: { perMinute: 1_000_000, perDay: 1_000_000 } }

  async function newPet(quantity: number): Promise<number> {
    const category = (await admin('POST', '/categories', { name: 'Fish' })).body
    const pet = (await admin('POST', '/pets', { name: 'Guppy', categoryId: category.id })).body
    await admin('PUT', `/store/inventory/${pet.id}`, { quantity })
    return pet.id
  }

  test('nodes that start together run each migration once and create one admin key', async () => {
    const versions = await sql.unsafe('SELECT version, count(*)::int AS runs FROM schema_versions GROUP BY version')
    expect(versions.length).toBeGreaterThan(0)
    expect(versions.every(({ runs }: { runs: number }) => runs === 1)).toBe(true)
    const [keys] = await sql.unsafe('SELECT count(*)::int AS count FROM api_keys WHERE manages_keys = 1')
    expect(keys.count).toBe(1)
  })

  test('1,000 concurrent orders on a stock of 100 sell exactly 100', async () => {
    const { secret } = await newKey(ample)
    for (let round = 0; round < rounds; round++) {
      const petId = await newPet(100)
      const responses = await Promise.all(
        Array.from({ length: 1_000 }, (_, index) =>
          patiently(() => call(nodeUrl(index), secret, 'POST', '/store/orders', { petId })),
        ),
      )
      const count = (status: number) => responses.filter((response) => response.status === status).length
      expect({ sold: count(201), rejected: count(409) }).toEqual({ sold: 100, rejected: 900 })
      expect((await admin('GET', `/store/inventory/${petId}`)).body).toEqual({ petId, quantity: 0, status: 'pending' })
      const [movements] = await sql.unsafe('SELECT sum(delta)::int AS sum FROM stock_movements WHERE pet_id = $1', [
        petId,
      ])
      expect(movements.sum).toBe(0)
    }
  })

  test('a free key gets exactly 60 of 1,000 requests in one minute', async () => {
    const { secret } = await newKey({ plan: 'free' })
    clock.startMinute()
    const responses = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => call(nodeUrl(index), secret, 'GET', '/pets?limit=1')),
    )
    const admitted = responses.filter((response) => response.status === 200)
    const remaining = admitted.map((response) => Number(response.headers.get('x-ratelimit-remaining')))
    expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index))
    expect(responses.filter((response) => response.status === 429)).toHaveLength(940)
    // More than a burst may be: all nodes know of the ban.
    await soon(async () => {
      const seen = await Promise.all(
        cluster.nodes.map(async (node) => (await call(node.url, secret, 'GET', '/pets')).body.code),
      )
      return seen.every((code) => code === 'key_banned')
    })
  })

  test('counters that a failover emptied continue from what the nodes have seen', async () => {
    const { secret } = await newKey({ plan: 'enterprise', limits: { perMinute: 1_000, perDay: 60 } })
    let served = 0
    const sendForty = async () => {
      for (let index = 0; index < 40; index++) {
        if ((await call(nodeUrl(index), secret, 'GET', '/pets?limit=1')).status === 200) served++
      }
    }
    await sendForty()
    // They are not logged, so a promoted standby has none.
    await sql.unsafe('TRUNCATE rate_counters')
    await sendForty()
    // No node knows what the others counted since its own last request.
    expect(served).toBeWithin(60, 60 + cluster.nodes.length)
  })

  test('concurrent batches on all nodes are each admitted completely or not at all, and never exceed the limit', async () => {
    const { id: categoryId } = (await admin('POST', '/categories', { name: 'Fish' })).body
    const { secret } = await newKey({ plan: 'enterprise', limits: { perMinute: 150, perDay: 200 }, preset: 'staff' })
    const pets = Array.from({ length: 7 }, () => ({ name: 'Guppy', categoryId }))
    const sent = 40
    const responses = await Promise.all(
      Array.from({ length: sent }, (_, index) => call(nodeUrl(index), secret, 'POST', '/pets/batch', pets)),
    )
    const done = responses.filter(({ status }) => status === 201).length
    const [registered] = await sql.unsafe('SELECT count(*)::int AS count FROM pets WHERE category_id = $1', [
      categoryId,
    ])
    expect(registered.count).toBe(7 * done)
    const windows = (await call(nodeUrl(1), secret, 'GET', '/limits')).body.windows
    const used = 200 - windows.find(({ name }: { name: string }) => name === 'day').remaining
    expect(used).toBeLessThanOrEqual(200)
    // The rest is the one request that each rejected batch costs.
    expect(used - 7 * done).toBeGreaterThanOrEqual(0)
    expect(used - 7 * done).toBeLessThanOrEqual(sent - done)
  })

  test('an order is rolled back if another node used up the quota, although it was started', async () => {
    const petId = await newPet(10)
    const { id: keyId, secret } = await newKey({ plan: 'enterprise', limits: { perMinute: 100, perDay: 5 } })
    const order = (node: number, headers = {}) =>
      call(nodeUrl(node), secret, 'POST', '/store/orders', { petId }, headers)
    const drawn = async () => Number((await sql.unsafe('SELECT last_value FROM orders_id_seq'))[0].last_value)
    // The first node still sees quota, which the second uses up.
    for (const node of [0, 1, 1, 1, 1]) expect((await order(node)).status).toBe(201)
    const before = await drawn()
    const rejected = await order(0, { 'Idempotency-Key': 'begun' })
    expect([rejected.status, rejected.body.code]).toEqual([429, 'quota_exhausted'])
    expect(rejected.headers.get('idempotent-replayed')).toBeNull()
    // It had got an id, so it had found and locked its pet.
    await soon(async () => (await drawn()) === before + 1)
    expect((await admin('GET', `/store/inventory/${petId}`)).body.quantity).toBe(5)
    expect((await admin('POST', '/store/orders', { petId })).body.id).toBe(before + 2)
    const [left] = await sql.unsafe(
      `SELECT (SELECT count(*)::int FROM orders WHERE key_id = $1) AS orders,
         (SELECT count(*)::int FROM idempotent_responses WHERE key_id = $1) AS responses,
         (SELECT count(*)::int FROM events WHERE key_id = $1 AND type LIKE 'order.%') AS events`,
      [keyId],
    )
    expect({ ...left }).toEqual({ orders: 5, responses: 0, events: 5 })
  })

  test('the same Idempotency-Key sent 200 times places one order', async () => {
    const { secret } = await newKey(ample)
    const petId = await newPet(500)
    const headers = { 'Idempotency-Key': 'once' }
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        call(nodeUrl(index), secret, 'POST', '/store/orders', { petId }, headers),
      ),
    )
    const orders = new Set(responses.filter((response) => response.status === 201).map((response) => response.body.id))
    expect(orders.size).toBe(1)
    const others = responses.filter((response) => response.status !== 201).map((response) => response.body.code)
    expect(others.every((code) => code === 'idempotency_in_progress')).toBe(true)
    expect((await admin('GET', `/store/inventory/${petId}`)).body.quantity).toBe(499)
  })

  test('a revoked, demoted or rotated key is rejected by every node within a second', async () => {
    for (const [change, expected] of [
      [(id: number) => admin('DELETE', `/keys/${id}`), 401],
      [(id: number) => admin('PATCH', `/keys/${id}`, { scopes: ['orders:read'] }), 403],
      [(id: number) => admin('POST', `/keys/${id}/rotate`, { graceSeconds: 0 }), 401],
    ] as const) {
      const { id, secret } = await newKey(ample)
      await everyNode(secret, 200)
      await change(id)
      await everyNodeSoon(secret, expected)
    }
  })

  test('a key change reaches every node even when the listening connections are cut', async () => {
    const { id, secret } = await newKey(ample)
    await everyNode(secret, 200)
    await sql.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen%' AND datname = current_database()",
    )
    await admin('DELETE', `/keys/${id}`)
    await everyNodeSoon(secret, 401)
  })

  const statuses = (secret: string) =>
    Promise.all(cluster.nodes.map(async (node) => (await call(node.url, secret, 'GET', '/pets?limit=1')).status))

  async function everyNode(secret: string, expected: number): Promise<void> {
    expect(await statuses(secret)).toEqual(cluster.nodes.map(() => expected))
  }

  /** Calls each node until it rejects, and no more, because rejections are metered by address. */
  async function everyNodeSoon(secret: string, expected: number): Promise<void> {
    for (const { url } of cluster.nodes) {
      await soon(async () => (await call(url, secret, 'GET', '/pets?limit=1')).status === expected)
    }
  }

  /** The documented limit is a second, and usually it is milliseconds; a busy test machine gets more. */
  async function soon(condition: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 10_000
    while (!(await condition())) expect(performance.now()).toBeLessThan(deadline)
  }
})
