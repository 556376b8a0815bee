import { afterEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type PostgresServer, startPostgres } from '../../../scripts/embedded-postgres.ts'
import { call, startNodes } from '../harness/nodes.ts'
import { imbalances } from '../harness/order-load.ts'
import { patiently } from '../harness/patiently.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')('a failover between the hosts of one DATABASE_URL', () => {
  const cleaning: (() => unknown)[] = []
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean()
  })

  /** A primary, and a standby that follows it. */
  async function startPair(): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
    const [primaryHome = '', standbyHome = ''] = ['primary', 'standby'].map((name) =>
      mkdtempSync(join(tmpdir(), `petstore-${name}-`)),
    )
    const primary = await startPostgres(primaryHome)
    await primary.stop('SIGINT')
    mkdirSync(standbyHome, { recursive: true })
    spawnSync('cp', ['-a', join(primaryHome, 'data'), standbyHome])
    const { hostname, port, username, password } = new URL(primary.url)
    appendFileSync(
      join(standbyHome, 'data', 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
    )
    writeFileSync(join(standbyHome, 'data', 'standby.signal'), '')
    await primary.start()
    const standby = await startPostgres(standbyHome)
    cleaning.push(
      () => primary.remove(),
      () => standby.remove(),
    )
    return { primary, standby }
  }

  function connected(server: PostgresServer): SQL {
    const sql = new SQL(server.url, { max: 1 })
    cleaning.push(() => sql.close())
    return sql
  }

  async function startShop(primary: PostgresServer, standby: PostgresServer) {
    const { username, password, pathname } = new URL(primary.url)
    // The standby first: it answers, but takes no writes.
    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',')
    const cluster = await startNodes(
      2,
      {},
      `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`,
    )
    cleaning.push(() => cluster.stop())
    const send = (node: number, method: string, path: string, body?: unknown) =>
      call(cluster.nodes[node]?.url ?? '', cluster.adminSecret, method, path, body)
    const { body: category } = await send(0, 'POST', '/categories', { name: 'Fish' })
    const { id: petId } = (await send(0, 'POST', '/pets', { name: 'Guppy', categoryId: category.id })).body
    await send(0, 'PUT', `/store/inventory/${petId}`, { quantity: 1_000 })
    const order = (node: number) => send(node, 'POST', '/store/orders', { petId })
    return { send, order }
  }

  /** Orders from both nodes, each sent again for as long as it is answered 503. */
  async function orderFromBoth(order: (node: number) => ReturnType<typeof call>, placed: Set<number>): Promise<void> {
    for (const node of [0, 1, 0, 1]) {
      const { status, body } = await patiently(() => order(node))
      expect(status).toBe(201)
      placed.add(body.id)
    }
  }

  async function hasFollowed(standby: SQL, orders: number): Promise<void> {
    for (;;) {
      const rows = await standby.unsafe('SELECT id FROM orders').catch(() => [])
      if (rows.length === orders) return
      await Bun.sleep(20)
    }
  }

  /** Nodes listen to this server too, not only write to it. */
  async function isListenedTo(server: SQL, nodes: number): Promise<void> {
    for (;;) {
      const rows = await server.unsafe("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
      if (rows.length >= nodes) return
      await Bun.sleep(50)
    }
  }

  test('the primary dies and the standby is promoted: nodes find it by themselves', async () => {
    const { primary, standby } = await startPair()
    const { order } = await startShop(primary, standby)
    const [follower, placed] = [connected(standby), new Set<number>()]
    await orderFromBoth(order, placed)
    await hasFollowed(follower, placed.size)
    await primary.stop('SIGKILL')
    expect((await order(0)).status).toBe(503)
    await follower.unsafe('SELECT pg_promote()')
    await orderFromBoth(order, placed)
    expect(placed.size).toBe(8)
    await isListenedTo(follower, 2)
    expect(await imbalances(standby.url, { placed, cancelled: new Set() })).toEqual([])
    // For the cleaning, which stops it.
    await primary.start()
  })

  test('the primary only stops taking writes: nodes neither write to it nor read from it any more', async () => {
    const { primary, standby } = await startPair()
    const { order, send } = await startShop(primary, standby)
    const [leader, follower, placed] = [connected(primary), connected(standby), new Set<number>()]
    await orderFromBoth(order, placed)
    await hasFollowed(follower, placed.size)
    await leader.unsafe('ALTER SYSTEM SET default_transaction_read_only = on')
    await leader.unsafe('SELECT pg_reload_conf()')
    await follower.unsafe('SELECT pg_promote()')
    await orderFromBoth(order, placed)
    for (const id of placed) {
      for (const node of [0, 1]) expect((await send(node, 'GET', `/store/orders/${id}`)).status).toBe(200)
    }
    expect(await imbalances(standby.url, { placed, cancelled: new Set() })).toEqual([])
  })
})
