import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { eventually } from '../harness/eventually.ts'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'
import { patiently } from '../harness/patiently.ts'

// Changes of one pet that wait for its lock use one write connection of a node; reads have separate connections.

describe.if(process.env.TEST_ENGINE === 'postgres')('while one pet is locked', () => {
  let cluster: Nodes
  let sql: SQL
  let petId: number
  beforeAll(async () => {
    cluster = await startNodes(2)
    sql = new SQL(cluster.databaseUrl, { max: 2, connection: { application_name: 'onlooker' } })
    const { body: category } = await send(0, 'POST', '/categories', { name: 'Fish' })
    petId = (await send(0, 'POST', '/pets', { name: 'Guppy', categoryId: category.id })).body.id
    await send(0, 'PUT', `/store/inventory/${petId}`, { quantity: 1_000 })
  })
  afterAll(async () => {
    await sql.close()
    await cluster.stop()
  })

  const send = (node: number, method: string, path: string, body?: unknown) =>
    call(cluster.nodes[node]?.url ?? '', cluster.adminSecret, method, path, body)

  /** How many transactions wait for the lock, once the number is stable. */
  async function waitingForTheLock(): Promise<number> {
    let waiting = 0
    return eventually(async () => {
      const before = waiting
      waiting = await countWaiting()
      return waiting > 0 && waiting === before && waiting
    })
  }

  async function countWaiting(): Promise<number> {
    const [row] = await sql.unsafe(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return row.count
  }

  const reads = () => [
    `/pets/${petId}`,
    `/pets/${petId}/profile`,
    '/pets?status=available',
    '/pets?q=gupp',
    '/pets/counts',
    '/categories',
    '/store/inventory',
    '/store/orders',
    '/events',
    '/limits',
  ]

  test('every read is served, also on nodes whose orders wait', async () => {
    const orders: Promise<{ status: number }>[] = []
    await sql.begin(async (tx) => {
      await tx.unsafe('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [petId])
      for (let count = 0; count < 60; count++) {
        orders.push(send(count % 2, 'POST', '/store/orders', { petId }))
      }
      await waitingForTheLock()
      for (const node of [0, 1]) {
        const responses = await Promise.all(reads().map((path) => send(node, 'GET', path)))
        expect(responses.map(({ status }) => status)).toEqual(reads().map(() => 200))
      }
    })
    const statuses = new Set((await Promise.all(orders)).map(({ status }) => status))
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([])
  })

  test('other pets can be ordered and changed on those nodes', async () => {
    const { categoryId } = (await send(0, 'GET', `/pets/${petId}`)).body
    const other = (await send(0, 'POST', '/pets', { name: 'Molly', categoryId })).body.id
    await send(0, 'PUT', `/store/inventory/${other}`, { quantity: 1_000 })
    const orders: Promise<{ status: number }>[] = []
    await sql.begin(async (tx) => {
      await tx.unsafe('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [petId])
      for (let count = 0; count < 60; count++) {
        orders.push(send(count % 2, 'POST', '/store/orders', { petId }))
        orders.push(send(count % 2, 'POST', `/store/inventory/${petId}/adjustments`, { delta: 1 }))
      }
      await eventually(async () => (await countWaiting()) >= 2)
      for (const node of [0, 1]) {
        const placed = await patiently(() => send(node, 'POST', '/store/orders', { petId: other }))
        const renamed = await patiently(() => send(node, 'PATCH', `/pets/${other}`, { name: `Molly ${node}` }))
        expect([placed.status, renamed.status]).toEqual([201, 200])
      }
      expect(await countWaiting()).toBeLessThanOrEqual(2)
    })
    const statuses = new Set((await Promise.all(orders)).map(({ status }) => status))
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
  })
})
