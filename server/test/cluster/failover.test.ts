import { afterEach, describe, expect, test } from 'bun:test'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { SQL } from 'bun'
import { eventually } from '../harness/eventually.ts'
import { call, startNodes } from '../harness/nodes.ts'
import { imbalances } from '../harness/order-load.ts'
import { patiently } from '../harness/patiently.ts'
import { type PostgresPair, startPostgresPair } from '../harness/postgres-pair.ts'
import type { PostgresServer } from '../harness/run/embedded-postgres.ts'
import { openStream } from '../platform/feed/reader.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')('a failover between the hosts of one DATABASE_URL', () => {
  const cleaning: (() => unknown)[] = []
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean()
  })

  async function startPair(): Promise<PostgresPair> {
    const pair = await startPostgresPair()
    cleaning.push(
      () => pair.primary.remove(),
      () => pair.standby.remove(),
    )
    return pair
  }

  function connected(server: PostgresServer): SQL {
    const sql = new SQL(server.url, { max: 1 })
    cleaning.push(() => sql.close())
    return sql
  }

  async function startShop({ url }: { readonly url: string }, env: Record<string, string> = {}) {
    const cluster = await startNodes(2, env, url)
    cleaning.push(() => cluster.stop())
    const send = (node: number, method: string, path: string, body?: unknown) =>
      call(cluster.nodes[node]?.url ?? '', cluster.adminSecret, method, path, body)
    const { body: category } = await send(0, 'POST', '/categories', { name: 'Fish' })
    const { id: petId } = (await send(0, 'POST', '/pets', { name: 'Guppy', categoryId: category.id })).body
    await send(0, 'PUT', `/store/inventory/${petId}`, { quantity: 1_000 })
    const order = (node: number) => send(node, 'POST', '/store/orders', { petId })
    const open = (node: number, headers?: Record<string, string>) =>
      openStream(`${cluster.nodes[node]?.url}/events/stream?type=category.created`, cluster.adminSecret, headers)
    const readiness = async (node: number) => {
      const response = await fetch(`${cluster.nodes[node]?.url}/readyz`)
      return [response.status, ((await response.json()) as { database: string }).database]
    }
    return { send, order, open, readiness }
  }

  /** Places orders on both nodes, retrying each while the response is 503. */
  async function orderFromBoth(order: (node: number) => ReturnType<typeof call>, placed: Set<number>): Promise<void> {
    for (const node of [0, 1, 0, 1]) {
      const { status, body } = await patiently(() => order(node))
      expect(status).toBe(201)
      placed.add(body.id)
    }
  }

  async function hasFollowed(standby: SQL, orders: number): Promise<void> {
    const count = async () => (await standby.unsafe('SELECT id FROM orders').catch(() => [])).length
    await eventually(async () => (await count()) === orders, count)
  }

  /** Stops replication: the standby gets no further changes from the primary. */
  async function stopFollowing(standby: SQL): Promise<void> {
    await standby.unsafe("ALTER SYSTEM SET primary_conninfo = ''")
    await standby.unsafe('SELECT pg_reload_conf()')
    await eventually(async () => (await standby.unsafe('SELECT 1 FROM pg_stat_wal_receiver')).length === 0)
  }

  /** Nodes also listen on this server, not only write to it. */
  async function isListenedTo(server: SQL, nodes: number): Promise<void> {
    const count = async () => (await server.unsafe("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")).length
    await eventually(async () => (await count()) >= nodes, count)
  }

  test('the primary dies and the standby is promoted: nodes find it automatically', async () => {
    const pair = await startPair()
    const { primary, standby } = pair
    const { order } = await startShop(pair)
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
    // For the cleanup, which stops it.
    await primary.start()
  })

  /** An address that leads to one server, and later to another, as a virtual IP does. */
  async function startVirtualAddress(first: PostgresServer) {
    let port = Number(new URL(first.url).port)
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      const database = connect(port, '127.0.0.1')
      for (const socket of [client, database]) sockets.add(socket.on('error', () => undefined))
      client.pipe(database).pipe(client)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const cut = () => {
      for (const socket of sockets) socket.destroy()
    }
    cleaning.push(() => server.close(), cut)
    const url = new URL(first.url)
    url.port = String((server.address() as AddressInfo).port)
    const moveTo = (other: PostgresServer) => {
      port = Number(new URL(other.url).port)
      cut()
    }
    return { url: url.href, moveTo }
  }

  test('the address moves to a standby: nodes read, and write after the promotion', async () => {
    const pair = await startPair()
    const address = await startVirtualAddress(pair.primary)
    const { order, send, readiness } = await startShop(address)
    const follower = connected(pair.standby)
    const { id } = (await order(0)).body
    await hasFollowed(follower, 1)
    address.moveTo(pair.standby)
    await eventually(async () => (await readiness(0))[1] === 'read-only')
    expect(await readiness(0)).toEqual([503, 'read-only'])
    expect((await send(0, 'GET', `/store/orders/${id}`)).status).toBe(200)
    expect((await order(0)).status).toBe(503)
    await follower.unsafe('SELECT pg_promote()')
    expect((await patiently(() => order(0))).status).toBe(201)
    await eventually(async () => (await readiness(0))[0] === 200)
  })

  test('the primary becomes read-only: nodes neither write to it nor read from it', async () => {
    const pair = await startPair()
    const { primary, standby } = pair
    const { order, send } = await startShop(pair)
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

  test('a standby without the end of the log is promoted: each reader gets all events recorded from then on', async () => {
    const pair = await startPair()
    const { primary, standby } = pair
    const { order, send, open } = await startShop(pair, { WEBHOOK_ALLOW_PRIVATE: 'true' })
    const [follower, placed] = [connected(standby), new Set<number>()]
    const hook = await send(0, 'POST', '/webhooks', { url: 'http://127.0.0.1:9999/', events: ['category.created'] })
    expect(hook.status).toBe(201)
    await orderFromBoth(order, placed)
    await hasFollowed(follower, placed.size)
    await stopFollowing(follower)

    const create = async (name: string, node: number) => {
      const { status, body } = await patiently(() => send(node, 'POST', '/categories', { name }))
      expect([status, body.name]).toEqual([201, name])
    }
    const [followed, cut] = await Promise.all([open(0), open(1)])
    const lost = Array.from({ length: 40 }, (_, index) => `Lost ${index}`)
    for (const [index, name] of lost.entries()) await create(name, index % 2)
    for (const stream of [followed, cut]) await stream.until(() => stream.events.length === lost.length)
    cut.close()
    await primary.stop('SIGKILL')
    await follower.unsafe('SELECT pg_promote()')

    // More than were lost, so that the server reuses the same numbers.
    const kept = Array.from({ length: 60 }, (_, index) => `Kept ${index}`)
    for (const [index, name] of kept.entries()) await create(name, index % 2)
    const lastId = cut.lastId() as string
    const namesOf = (events: readonly { data: Record<string, unknown> }[]) => events.map(({ data }) => data.name)
    const isWhole = (names: readonly unknown[]) => names.at(-1) === kept.at(-1)

    const polled: unknown[] = []
    let after = lastId
    await eventually(
      async () => {
        const page = await send(0, 'GET', `/events?after=${after}&type=category.created&limit=100`)
        expect(page.status).toBe(200)
        polled.push(...namesOf(page.body))
        after = page.body.at(-1)?.id ?? after
        return isWhole(polled)
      },
      () => polled,
    )
    expect(polled).toEqual(kept)
    const resumed = await open(1, { 'Last-Event-ID': lastId })
    await resumed.until(() => isWhole(namesOf(resumed.events)))
    expect(namesOf(resumed.events)).toEqual(kept)
    await followed.until(() => isWhole(namesOf(followed.events)))
    expect(namesOf(followed.events)).toEqual([...lost, ...kept])
    const ids = [...followed.events].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)

    const deliveries = () => follower.unsafe("SELECT 1 FROM webhook_deliveries WHERE event_type = 'category.created'")
    await eventually(async () => (await deliveries()).length >= kept.length)
    for (const stream of [resumed, followed]) stream.close()
    // For the cleanup, which stops it.
    await primary.start()
  })
})
