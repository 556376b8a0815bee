import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { flood } from '../../harness/flood.ts'
import { type CountedWay, startCountedWay } from '../../harness/round-trips.ts'
import { type ApiResponse, startService } from '../../harness/service.ts'
import { batchOfCounters, leastStatementsOf } from '../access/statements.ts'

// What the main operations cost the database: statements on both engines, and round trips on PostgreSQL, seen on the wire. None reads a
// whole table; query-plans.test.ts checks how many rows a list may read.

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const limits = 'petstore-limits'

let proxy: CountedWay | undefined
/** The database without the proxy. */
let straightUrl = ''
const by = async (url: string) => {
  straightUrl = url
  // Delays responses until the limits have decided, which a commit waits for.
  proxy = await startCountedWay(url, limits)
  return proxy.url
}
const service = await startService(onPostgres ? { by } : {})
const api = await service.newClient({ preset: 'admin' })
const petId = await api.newPet(1_000_000)
const categoryId = await api.newCategory()
afterAll(async () => {
  await service.stop()
  proxy?.stop()
})

const newOrder = async (): Promise<number> => (await api.post('/store/orders', { petId })).body.id
let counted = 900_000
const onceOnly = () => ({ 'Idempotency-Key': crypto.randomUUID() })

interface Cost {
  /** Without those that begin and end a transaction. */
  readonly statements: number
  /** Statements that only lock a pet, which PostgreSQL needs in addition. */
  readonly locks?: number
  /** The commit is pipelined with the last statements. */
  readonly roundTrips: number
  /** Prepares what the call needs; not counted. */
  readonly before?: () => Promise<number>
  readonly call: (id: number) => Promise<ApiResponse>
}

const costs: Record<string, Cost> = {
  getPet: { statements: 1, roundTrips: 1, call: () => api.get(`/pets/${petId}`) },
  getPetProfile: { statements: 1, roundTrips: 1, call: () => api.get(`/pets/${petId}/profile`) },
  listPets: { statements: 1, roundTrips: 1, call: () => api.get('/pets?limit=20&status=available') },
  listProfiles: { statements: 2, roundTrips: 2, call: () => api.get('/pets/profiles?limit=20') },
  countPets: { statements: 1, roundTrips: 1, call: () => api.get('/pets/counts') },
  listCategories: { statements: 1, roundTrips: 1, call: () => api.get('/categories') },
  listInventory: { statements: 2, roundTrips: 2, call: () => api.get('/store/inventory?maxQuantity=5') },
  listOrders: { statements: 1, roundTrips: 1, call: () => api.get('/store/orders?complete=false') },
  getOrder: { statements: 1, roundTrips: 1, before: newOrder, call: (id) => api.get(`/store/orders/${id}`) },
  placeOrder: { statements: 7, locks: 1, roundTrips: 2, call: () => api.post('/store/orders', { petId }) },
  'placeOrder with an Idempotency-Key': {
    statements: 9,
    locks: 1,
    roundTrips: 3,
    call: () => api.post('/store/orders', { petId }, onceOnly()),
  },
  updateOrder: {
    statements: 7,
    locks: 1,
    roundTrips: 2,
    before: newOrder,
    call: (id) => api.patch(`/store/orders/${id}`, { quantity: 2 }),
  },
  cancelOrder: {
    statements: 7,
    locks: 1,
    roundTrips: 2,
    before: newOrder,
    call: (id) => api.delete(`/store/orders/${id}`),
  },
  createPet: { statements: 4, roundTrips: 2, call: () => api.post('/pets', { name: 'Rex', categoryId }) },
  'createPet with an Idempotency-Key': {
    statements: 6,
    roundTrips: 3,
    call: () => api.post('/pets', { name: 'Rex', categoryId }, onceOnly()),
  },
  updatePet: { statements: 2, locks: 1, roundTrips: 3, call: () => api.patch(`/pets/${petId}`, { name: 'Max' }) },
  adjustInventory: {
    statements: 4,
    locks: 1,
    roundTrips: 2,
    call: () => api.post(`/store/inventory/${petId}/adjustments`, { delta: 1 }),
  },
  setInventory: {
    statements: 4,
    locks: 1,
    roundTrips: 2,
    call: () => api.put(`/store/inventory/${petId}`, { quantity: ++counted }),
  },
}

test.each(Object.entries(costs))('%s', async (_, { statements, locks = 0, roundTrips, before, call }) => {
  const prepared: number[] = []
  for (let count = 0; before && count < 30; count++) prepared.push(await before())
  const once = async () => expect((await call(prepared.pop() ?? 0)).status).toBeLessThan(300)
  const seen = await leastStatementsOf(service, once)
  const own = seen.filter((sql) => !isOfLimits(sql))
  expect({ own, statements: own.length }).toEqual({ own, statements: statements + (onPostgres ? locks : 0) })
  for (const sql of own) expect({ sql, scans: await unboundedScans(sql) }).toEqual({ sql, scans: [] })
  if (!proxy) return
  const { least, overlapping } = await countRoundTrips(proxy, once)
  expect(least).toEqual({ petstore: roundTrips, [limits]: 1 })
  // The work starts before the counters respond, except when they are faster than the body, which is rare.
  expect(overlapping).toBeGreaterThan(5)
})

test('setting 100 stock counts costs as many statements as one, so that locks last no longer', async () => {
  const pets = Array.from({ length: 100 }, () => ({ name: 'Rex', categoryId }))
  const ids = (await api.post('/pets/batch', pets)).body.map(({ id }: { id: number }) => id) as number[]
  const setAll = async () => {
    const counts = ids.map((petId) => ({ petId, quantity: ++counted }))
    expect((await api.patch('/store/inventory', counts)).status).toBe(200)
  }
  const seen = (await leastStatementsOf(service, setAll)).filter((sql) => !isOfLimits(sql))
  expect(seen.length).toBe(onPostgres ? 5 : 4)
})

test('a call of a key over its limit is rejected without starting its work', async () => {
  const client = await service.newClient({ limits: { perMinute: 20, perDay: 1_000 }, plan: 'enterprise' })
  await flood(client, 25)
  const rejected = async () => {
    expect((await client.get('/pets')).status).toBe(429)
    expect((await client.post('/store/orders', { petId })).status).toBe(429)
  }
  for (let times = 0; times < 5; times++) {
    const seen = await leastStatementsOf(service, rejected, 1)
    expect(seen.filter((sql) => /\b(pets|orders)\b/.test(sql))).toEqual([])
  }
})

test('of many concurrent calls only those start early for which there is room', async () => {
  const starts: number[] = []
  // Two batches may reach the shared counters in the other order. Then calls are admitted that did not start early, and start as well.
  while (!starts.includes(19) && starts.length < 5) {
    const client = await service.newClient({ limits: { perMinute: 20, perDay: 1_000 }, plan: 'enterprise' })
    // Now this node knows what the windows have admitted.
    await client.get('/pets')
    const burst = () => Promise.all(Array.from({ length: 100 }, () => client.post('/store/orders', { petId })))
    const seen = await leastStatementsOf(service, burst, 1)
    starts.push(seen.filter((sql) => sql === 'the next id of orders').length)
  }
  expect(starts).toContain(19)
})

/** Steps of a plan that read a whole table: without an index and without a limit. */
async function unboundedScans(sql: string): Promise<string[]> {
  if (!/^(SELECT|UPDATE|DELETE|WITH) /.test(sql)) return []
  // The table of count changes is read completely: a job keeps it small.
  if (onPostgres)
    return (await planOnPostgres(sql)).filter((step) => /Seq Scan on (?!(?:pet|shop)_count_changes)/.test(step))
  const isBounded = / LIMIT \d+/.test(sql)
  return planOnSqlite(sql).filter((step) => /^SCAN \w+$/.test(step) && !isBounded)
}

// On a separate connection and as a generic plan, so that the service's cached plans do not matter.
async function planOnPostgres(statement: string): Promise<string[]> {
  await using sql = new SQL(straightUrl, { max: 1 })
  // As in the service: a sequential scan then means that there is no index.
  await sql.unsafe('SET enable_seqscan = off')
  // EXPLAIN (GENERIC_PLAN) would do the same from PostgreSQL 16 on.
  await sql.unsafe('SET plan_cache_mode = force_generic_plan')
  await sql.unsafe(`PREPARE planned AS ${statement}`)
  const parameters = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const values = parameters === 0 ? '' : `(${Array(parameters).fill('NULL').join(', ')})`
  const rows: Record<string, string>[] = await sql.unsafe(`EXPLAIN EXECUTE planned${values}`)
  return rows.map((row) => row['QUERY PLAN'] ?? '')
}

function planOnSqlite(statement: string): string[] {
  using file = new Sqlite(service.context.config.databaseUrl.slice('sqlite:'.length))
  const rows = file.prepare(`EXPLAIN QUERY PLAN ${statement.replace(/\$(\d+)/g, '?$1')}`).all() as { detail: string }[]
  return rows.map(({ detail }) => detail)
}

const isOfLimits = (sql: string) => sql === batchOfCounters

/**
 * The fewest round trips of ten calls, by application: jobs use the same connections, and new statements are prepared first. Also returns
 * how many calls started before the limits had decided.
 */
async function countRoundTrips(proxy: CountedWay, work: () => Promise<unknown>) {
  const least: Record<string, number> = {}
  let overlapping = 0
  for (let times = 0; times < 10; times++) {
    // As in `leastStatementsOf`.
    await service.context.directory.refresh()
    const before = proxy.roundTrips()
    const overlaps = proxy.overlaps()
    await work()
    if (proxy.overlaps() > overlaps) overlapping++
    for (const [application, count] of Object.entries(proxy.roundTrips())) {
      const made = count - (before[application] ?? 0)
      least[application] = Math.min(least[application] ?? made, made)
    }
  }
  // A connection that no call uses, such as that of the notifications, is not among them.
  return { least: Object.fromEntries(Object.entries(least).filter(([, trips]) => trips > 0)), overlapping }
}
