import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'
import { imbalances } from '../harness/order-load.ts'
import { patiently } from '../harness/patiently.ts'
import { type PostgresServer, startPostgres } from '../harness/run/embedded-postgres.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')('a frozen PostgreSQL', () => {
  let postgres: PostgresServer
  let cluster: Nodes
  let sql: SQL
  const stopped: number[] = []
  beforeAll(async () => {
    postgres = await startPostgres()
    cluster = await startNodes(2, {}, postgres.url)
    // Connected in advance, because later no one can connect.
    sql = await new SQL(postgres.url, { max: 1 }).connect()
  })
  afterAll(async () => {
    thaw()
    await sql.close()
    await cluster.stop()
    await postgres.remove()
  })

  const halt = (pid: number) => {
    process.kill(pid, 'SIGSTOP')
    stopped.push(pid)
  }
  const thaw = () => {
    for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT')
  }

  /** Stops all its processes: nothing is closed, nothing responds. The parent first, because it starts the others. */
  async function freeze(): Promise<void> {
    halt(postgres.processId())
    for (const { pid } of await sql.unsafe('SELECT pid FROM pg_stat_activity')) halt(pid)
  }

  const send = (index: number, method: string, path: string, body?: unknown) =>
    call(cluster.nodes[index % 2]?.url ?? '', cluster.adminSecret, method, path, body)

  test('gives 503 within five seconds, whether the key is known or has to be looked up', async () => {
    const { body: key } = await send(0, 'POST', '/keys', { name: 'Test', preset: 'staff' })
    // Both nodes have open connections for everything.
    for (const index of [0, 1]) await send(index, 'POST', '/categories', { name: 'Before' })
    for (const index of [0, 1]) await send(index, 'GET', '/categories')
    await freeze()
    const timed = async (request: Promise<{ status: number }>) => {
      const sentAt = performance.now()
      const { status } = await request
      return { status, ms: performance.now() - sentAt }
    }
    const both = (method: string, body?: unknown, secret = cluster.adminSecret) =>
      Promise.all(cluster.nodes.map(({ url }) => timed(call(url, secret, method, '/categories', body))))
    const responses = await Promise.all([
      both('GET'),
      both('POST', { name: 'Lost' }),
      both('GET', undefined, key.secret),
    ])
    thaw()
    expect(responses.flat().map(({ status }) => status)).toEqual(Array(6).fill(503))
    // The faster of two nodes: a busy machine may keep one of them waiting.
    for (const pair of responses) expect(Math.min(...pair.map(({ ms }) => ms))).toBeLessThan(5_000)
    await patiently(() => send(0, 'GET', '/categories'))
  })

  test('gives 503 with Retry-After while it lasts, and none of those requests took effect afterwards', async () => {
    const { body: category } = await send(0, 'POST', '/categories', { name: 'Fish' })
    const { id: petId } = (await send(0, 'POST', '/pets', { name: 'Guppy', categoryId: category.id })).body
    await send(0, 'PUT', `/store/inventory/${petId}`, { quantity: 1_000 })
    const order = (index: number) => send(index, 'POST', '/store/orders', { petId })
    const placed = new Set<number>()
    for (let index = 0; index < 10; index++) placed.add((await order(index)).body.id)

    await freeze()
    const requests = Array.from({ length: 40 }, (_, index) =>
      index % 4 === 0 ? send(index >> 2, 'GET', `/pets/${petId}/profile`) : order(index >> 2),
    )
    const health = cluster.nodes.flatMap(({ url }) => [fetch(`${url}/healthz`), fetch(`${url}/readyz`)])
    // It stays frozen until all of them have a response.
    const responses = await Promise.all(requests)
    expect((await Promise.all(health)).map(({ status }) => status)).toEqual([200, 503, 200, 503])
    thaw()

    expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(503))
    expect(responses.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true)
    // A request whose result was reported as unknown may have taken effect.
    const unsure = responses.filter(({ body }) => body.code === 'outcome_unknown').length
    for (let index = 0; index < 4; index++) placed.add((await patiently(() => order(index))).body.id)
    expect(placed.size).toBe(14)
    expect(await imbalances(postgres.url, { placed, cancelled: new Set() })).toEqual([])
    const [{ count }] = await sql.unsafe('SELECT count(*)::int AS count FROM orders')
    expect(count).toBeGreaterThanOrEqual(14)
    expect(count).toBeLessThanOrEqual(14 + unsure)
  })
})
