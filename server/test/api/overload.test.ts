import { Database as SqliteFile } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { SQL } from 'bun'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'
import { freePort } from '../harness/run/free-port.ts'

// A node that gets three times as many orders as it can place. Orders are made slow, so that few requests are many.

interface Store {
  all(sql: string): Promise<Record<string, number>[]>
  close(): unknown
}

const engines = {
  sqlite: {
    open(url: string): Store {
      const file = new SqliteFile(url.replace('sqlite:', ''))
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

const refusalsWanted = 60
const patienceMs = 60_000

let cluster: Nodes
let store: Store
let metricsPort: number
let petId: number
beforeAll(async () => {
  metricsPort = await freePort()
  cluster = await startNodes(1, {
    DATABASE_CONNECTIONS: '2',
    LOG_LEVEL: 'info',
    METRICS_PORT: String(metricsPort),
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

interface Asked {
  readonly id: string
  status: number
  body: { id?: number; code?: string }
  headers: string
}

/** Over a socket of its own: fetch would let only so many wait at once. */
function order(id: string): Promise<Asked> {
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
      if (!json) reject(new Error('no answer'))
      else resolve({ id, status: Number(headers.slice(9, 12)), body: JSON.parse(json), headers })
    })
  })
}

/** How many orders a second the node places when there are just enough of them. */
async function capacity(): Promise<number> {
  const started = performance.now()
  let sent = 0
  const one = async () => {
    while (sent < 60) expect((await order(`warm-${sent++}`)).status).toBe(201)
  }
  await Promise.all(Array.from({ length: 6 }, one))
  return 60_000 / (performance.now() - started)
}

/** When each order came to the node and how it was answered, in the order of the answers. */
async function answeredInOrder(count: number): Promise<{ cameAt: number; status: number }[]> {
  for (;;) {
    const lines = node()
      .errors()
      .split('\n')
      .filter((line) => line.includes('"message":"request","requestId":"load-'))
    if (lines.length === count) {
      return lines
        .map((line) => JSON.parse(line))
        .map(({ time, ms, status }) => ({ cameAt: Date.parse(time) - ms, status }))
    }
    // Lines are gathered for a moment before they are written.
    await Bun.sleep(20)
  }
}

test('at three times its capacity a node does what it lets in, refuses the rest at once, and everything else answers', async () => {
  const before = (await store.all('SELECT id FROM orders')).length
  const perSecond = await capacity()
  const asked: Promise<Asked>[] = []
  let refused = 0
  let done = 0

  // What must answer all the while, with the number of orders that waited when it was asked and were done before it answered.
  const looks: { path: string; status: number; waited: number; doneBefore: number }[] = []
  async function look(): Promise<void> {
    const key = { 'X-API-Key': cluster.adminSecret }
    for (const path of ['/healthz', '/readyz', '/limits', `http://127.0.0.1:${metricsPort}/metrics`]) {
      const [doneUntilNow, waited] = [done, asked.length - done - refused]
      const { status } = await fetch(new URL(path, node().url), { headers: key })
      looks.push({ path, status, waited, doneBefore: done - doneUntilNow })
    }
  }

  const started = performance.now()
  let looking: Promise<void> | undefined
  while (refused < refusalsWanted || looks.length < 4) {
    expect(performance.now() - started).toBeLessThan(patienceMs)
    const due = ((performance.now() - started) / 1000) * perSecond * 3
    while (asked.length < due) {
      const asking = order(`load-${asked.length}`)
      asked.push(asking)
      void asking.then(({ status }) => (status === 503 ? refused++ : done++))
    }
    if (refused > 0) looking ??= look()
    await Bun.sleep(10)
  }
  await looking
  const answers = await Promise.all(asked)

  // Only these two answers, and a refusal says when to come back.
  const [placed, turnedAway] = [201, 503].map((wanted) => answers.filter(({ status }) => status === wanted))
  expect((placed?.length ?? 0) + (turnedAway?.length ?? 0)).toBe(answers.length)
  expect(placed?.length).toBeGreaterThan(0)
  for (const { body, headers } of turnedAway ?? []) {
    expect(body.code).toBe('unavailable')
    expect(headers).toMatch(/\r\nretry-after: [1-9]\d*\r\n/i)
  }

  // Every 201 is in the store, and nothing else is.
  const stored = (await store.all('SELECT id FROM orders ORDER BY id')).map(({ id }) => Number(id)).slice(before + 60)
  expect(stored).toEqual((placed ?? []).map(({ body }) => Number(body.id)).sort((one, other) => one - other))
  const [{ taken = 0 } = {}] = await store.all(
    'SELECT -sum(delta) AS taken FROM stock_movements WHERE order_id IS NOT NULL',
  )
  expect(Number(taken)).toBe(before + 60 + stored.length)

  // What is refused is refused before anything is done that came later. Times in the log are good to a few milliseconds, and a node
  // that is not scheduled in between makes some of them late; one that lets people wait before it refuses makes all of them late.
  let latest = Number.NEGATIVE_INFINITY
  let overtaken = 0
  for (const { cameAt, status } of await answeredInOrder(answers.length)) {
    if (status === 201) latest = Math.max(latest, cameAt)
    else if (cameAt < latest - 5) overtaken++
  }
  expect(overtaken).toBeLessThan(refused / 10)

  // The rest answered all the while, and did not wait for the orders that waited.
  expect(looks.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  for (const { waited, doneBefore } of looks) expect(doneBefore).toBeLessThan(waited)
})
