import { Database as SqliteFile } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { SQL } from 'bun'
import { eventually } from '../../harness/eventually.ts'
import { call, type Nodes, startNodes } from '../../harness/nodes.ts'

// A node that gets three times as many orders as it can place. Orders are made slow, so that few requests are enough.

interface Store {
  all(sql: string): Promise<Record<string, number>[]>
  close(): unknown
}

const engines = {
  sqlite: {
    open(url: string): Store {
      const file = new SqliteFile(url.replace('sqlite:', ''))
      // The node writes too.
      file.run('PRAGMA busy_timeout = 60000')
      return { all: async (sql) => file.query(sql).all() as Record<string, number>[], close: () => file.close() }
    },
    slowOrders: [
      `CREATE VIEW long_work AS WITH RECURSIVE step (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < 6000)
         SELECT count(*) AS steps FROM step`,
      'CREATE TRIGGER slow_orders AFTER INSERT ON orders BEGIN SELECT steps FROM long_work; END',
    ],
  },
  postgres: {
    open(url: string): Store {
      const sql = new SQL(url, { max: 1 })
      return { all: (text) => sql.unsafe(text), close: () => sql.close() }
    },
    slowOrders: [
      "CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); RETURN NULL; END'",
      'CREATE TRIGGER slow_orders AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION be_slow()',
    ],
  },
}
const engine = process.env.TEST_ENGINE === 'postgres' ? engines.postgres : engines.sqlite

const rejectionsWanted = 60
const patienceMs = 60_000

let cluster: Nodes
let store: Store
let petId: number
beforeAll(async () => {
  cluster = await startNodes(1, {
    DATABASE_CONNECTIONS: '6',
    LOG_LEVEL: 'info',
    METRICS_PORT: '0',
  })
  store = engine.open(cluster.databaseUrl)
  const { body: category } = await admin('POST', '/categories', { name: 'Fish' })
  petId = (await admin('POST', '/pets', { name: 'Guppy', categoryId: category.id })).body.id
  await admin('PUT', `/store/inventory/${petId}`, { quantity: 1_000_000 })
  for (const statement of engine.slowOrders) await store.all(statement)
})
afterAll(async () => {
  await store.close()
  await cluster.stop()
})

const node = () => cluster.nodes[0] as Nodes['nodes'][number]
const admin = (method: string, path: string, body?: unknown) =>
  call(node().url, cluster.adminSecret, method, path, body)

interface Responded {
  readonly id: string
  status: number
  body: { id?: number; code?: string }
  headers: string
}

/** On a separate socket: fetch would limit the number of concurrent requests. */
function placeOrder(id: string): Promise<Responded> {
  const body = JSON.stringify({ petId })
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(new URL(node().url).port), '127.0.0.1', () =>
      socket.write(
        `POST /store/orders HTTP/1.1\r\nHost: test\r\nConnection: close\r\nX-API-Key: ${cluster.adminSecret}\r\nX-Request-Id: ${id}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    )
    socket.setEncoding('utf8')
    socket.on('data', (part) => (text += part))
    socket.on('error', reject)
    socket.on('close', () => {
      const [headers = '', json] = text.split('\r\n\r\n')
      if (!json) reject(new Error('no response'))
      else resolve({ id, status: Number(headers.slice(9, 12)), body: JSON.parse(json), headers })
    })
  })
}

/** Measures how many orders per second the node can place. */
async function measureCapacity(): Promise<number> {
  const started = performance.now()
  let sent = 0
  let placed = 0
  // On a busy machine even six at once can be too many.
  const worker = async () => {
    while (placed < 60) if ((await placeOrder(`warm-${sent++}`)).status === 201) placed++
  }
  await Promise.all(Array.from({ length: 6 }, worker))
  return (placed * 1000) / (performance.now() - started)
}

/** Reads from the log when each order arrived and the status of its response, in the order of the responses. */
async function readResponses(count: number): Promise<{ arrivedAt: number; status: number }[]> {
  const lines = () =>
    node()
      .errors()
      .split('\n')
      .filter((line) => line.includes('"message":"request","requestId":"load-'))
  // Log lines are written in batches.
  await eventually(
    () => lines().length === count,
    () => lines().length,
  )
  return lines()
    .map((line) => JSON.parse(line))
    .map(({ time, ms, status }) => ({ arrivedAt: Date.parse(time) - ms, status }))
}

test('at three times its capacity a node does what it accepts, rejects the rest immediately, and handles everything else', async () => {
  const perSecond = await measureCapacity()
  const before = (await store.all('SELECT id FROM orders')).length
  const sent: Promise<Responded>[] = []
  let rejected = 0
  let done = 0

  // Other requests that must get a response meanwhile: how many orders waited at their start, and how many were done before their response.
  const probes: { path: string; status: number; waited: number; doneBefore: number }[] = []
  async function probe(): Promise<void> {
    const key = { 'X-API-Key': cluster.adminSecret }
    for (const path of ['/healthz', '/readyz', '/limits', `http://127.0.0.1:${node().metricsPort}/metrics`]) {
      // This process may be held up by others on the machine now and then; a path that waits for the orders is late every time.
      for (let tries = 1; tries <= 10; tries++) {
        const [doneUntilNow, waited] = [done, sent.length - done - rejected]
        const { status } = await fetch(new URL(path, node().url), { headers: key })
        const probe = { path, status, waited, doneBefore: done - doneUntilNow }
        if (tries < 10 && probe.doneBefore >= waited) continue
        probes.push(probe)
        break
      }
    }
  }

  const started = performance.now()
  let probing: Promise<void> | undefined
  while (rejected < rejectionsWanted || probes.length < 4) {
    expect(performance.now() - started).toBeLessThan(patienceMs)
    // More and more: the machine may have been busier while the capacity was measured.
    const seconds = (performance.now() - started) / 1000
    const due = seconds * perSecond * 3 * Math.max(1, seconds / 5)
    while (sent.length < due) {
      const responded = placeOrder(`load-${sent.length}`)
      sent.push(responded)
      void responded.then(({ status }) => (status === 503 ? rejected++ : done++))
    }
    if (rejected > 0) probing ??= probe()
    await Bun.sleep(10)
  }
  await probing
  const responses = await Promise.all(sent)

  // Only these two responses, and a rejection says when to retry.
  const [placed, rejections] = [201, 503].map((wanted) => responses.filter(({ status }) => status === wanted))
  expect((placed?.length ?? 0) + (rejections?.length ?? 0)).toBe(responses.length)
  expect(placed?.length).toBeGreaterThan(0)
  // A database that is held up in the middle of a commit may or may not have done it.
  const unknown = rejections?.filter(({ body }) => body.code === 'outcome_unknown') ?? []
  for (const { body, headers } of rejections ?? []) {
    expect(body.code).toBeOneOf(['unavailable', 'outcome_unknown'])
    expect(headers).toMatch(/\r\nretry-after: [1-9]\d*\r\n/i)
  }

  // Every 201 is in the store, and nothing else is.
  const stored = (await store.all('SELECT id FROM orders ORDER BY id')).map(({ id }) => Number(id)).slice(before)
  const placedIds = (placed ?? []).map(({ body }) => Number(body.id)).sort((one, other) => one - other)
  expect(stored.filter((id) => placedIds.includes(id))).toEqual(placedIds)
  expect(stored.length - placedIds.length).toBeLessThanOrEqual(unknown.length)
  const [{ taken = 0 } = {}] = await store.all(
    'SELECT -sum(delta) AS taken FROM stock_movements WHERE order_id IS NOT NULL',
  )
  expect(Number(taken)).toBe(before + stored.length)

  // Rejections are immediate: they get a response before orders that arrived later are done. Log times are exact to a few milliseconds, and a
  // paused process delays some of them; a node that lets requests wait before it rejects them would delay all.
  let latest = Number.NEGATIVE_INFINITY
  let overtaken = 0
  for (const { arrivedAt, status } of await readResponses(responses.length)) {
    if (status === 201) latest = Math.max(latest, arrivedAt)
    else if (arrivedAt < latest - 5) overtaken++
  }
  expect(overtaken).toBeLessThan(rejected / 10)

  // The probes got a response, and did not wait for the waiting orders.
  expect(probes.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  for (const { waited, doneBefore } of probes) expect(doneBefore).toBeLessThan(waited)
})
