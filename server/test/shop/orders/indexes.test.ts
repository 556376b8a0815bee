import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Keyset } from '../../../src/platform/db/clauses.ts'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { findOrders, type OrderRow, type Owner, orderSorts } from '../../../src/shop/orders/store.ts'
import { startService } from '../../harness/service.ts'
import { visitedRows, watchStatements } from '../../harness/visited-rows.ts'

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context
const isPostgres = process.env.TEST_ENGINE === 'postgres'

const numbers = isPostgres
  ? 'SELECT n FROM generate_series(1, 20000) AS n'
  : 'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000) SELECT n FROM numbers'

beforeAll(async () => {
  await db.exclusively(async (tx) => {
    // One in 20 orders is open; pets, keys and ship dates are spread over all of them. Key 98 has one in seven.
    await tx.query(
      `INSERT INTO orders (id, key_id, pet_id, quantity, ship_date, complete, created_at)
       SELECT n, CASE WHEN n % 7 = 0 THEN 98 ELSE n % 97 END, n % 501, 1, CASE WHEN n % 3 = 0 THEN n * 7 % 19997 END,
         CASE WHEN n % 20 = 0 THEN 0 ELSE 1 END, n
       FROM (${numbers}) AS numbered`,
    )
    await tx.query('ANALYZE')
  })
})

const ofKey = ['orders_open_by_key', 'orders_complete_by_key']
const ofPet = ['orders_open_by_pet', 'orders_complete_by_pet']
const byShipDate = ['orders_open_by_ship_date', 'orders_complete_by_ship_date']
/** On SQLite, an id is the place of a row in its table. */
const byId = [isPostgres ? 'orders_pkey' : 'the whole table']

type Listed = readonly [
  owner: Owner,
  sort: keyof typeof orderSorts,
  filter: Parameters<typeof findOrders>[2],
  indexes: string[],
]
const lists: Listed[] = [
  [1, 'id', {}, ofKey],
  [1, '-id', { complete: true }, ['orders_complete_by_key']],
  [1, '-id', { complete: false, placedTo: 10_000 }, ['orders_open_by_key']],
  ['everyone', 'id', { petId: 7 }, ofPet],
  ['everyone', '-id', { petId: 7, complete: false }, ['orders_open_by_pet']],
  ['everyone', 'id', { complete: false }, ['orders_open']],
  ['everyone', '-placed', { placedFrom: 1, placedTo: 20_000 }, ['orders_by_time']],
  ['everyone', 'placed', { placedFrom: 1, complete: true }, ['orders_by_time']],
  ['everyone', '-shipDate', { shipFrom: 1 }, byShipDate],
  ['everyone', 'shipDate', { complete: false, shipTo: 20_000 }, ['orders_open_by_ship_date']],
  ['everyone', 'shipDate', {}, [...byShipDate, ...byId]],
  // Few enough to fetch and sort.
  [1, 'placed', { placedFrom: 1, placedTo: 20_000 }, [...ofKey, ...byId]],
  ['everyone', '-placed', { petId: 7, placedFrom: 1 }, [...ofPet, ...byId]],
  [1, 'shipDate', { complete: false, shipTo: 20_000 }, ['orders_open_by_key', ...byId]],
  // Too many.
  [98, 'placed', { placedFrom: 1, placedTo: 20_000 }, [...ofKey, 'orders_by_time']],
  [98, '-shipDate', { shipTo: 20_000 }, [...ofKey, ...byShipDate]],
]

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

const indexesIn = (node: PlanNode): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? ['the whole table'] : []),
  ...(node['Index Name'] ? [node['Index Name']] : []),
  ...(node.Plans ?? []).flatMap(indexesIn),
]

/** The index each part of a statement reads orders from. */
async function readFrom(sql: string, params: Parameters<Queryable['query']>[1]): Promise<string[]> {
  if (isPostgres) {
    const [row] = await db.query<Record<string, unknown>>(`EXPLAIN (FORMAT JSON) ${sql}`, params)
    const plan = row?.['QUERY PLAN'] as string | [{ Plan: PlanNode }]
    const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: PlanNode }]
    return indexesIn(Plan)
  }
  const steps = await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
  return steps
    .filter(({ detail }) => / orders\b/.test(detail))
    .map(({ detail }) => /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1] ?? 'the whole table')
}

const first = (sort: keyof typeof orderSorts): Keyset => ({ sort: orderSorts[sort], limit: 20, after: undefined })

test.each(lists)('orders of %j by %s with %j are read from %j', async (owner, sort, filter, indexes) => {
  const read = new Set<string>()
  const readPage = async (keyset: Keyset) =>
    watchStatements(
      db,
      (db) => findOrders(db, owner, filter, keyset),
      async (sql, params) => {
        for (const name of await readFrom(sql, params)) read.add(name)
      },
    )
  for (const after of [undefined, sort.endsWith('id') ? [5_000] : [5_000, 5_000]])
    await readPage({ ...first(sort), after })
  if (sort.endsWith('shipDate') && filter.shipFrom === undefined && filter.shipTo === undefined)
    await readPage({ ...first(sort), after: [null, 5_000] })
  expect([...read].toSorted()).toEqual(indexes.toSorted())
})

test('every index of orders is used by a list', async () => {
  const names = isPostgres
    ? "SELECT indexname AS name FROM pg_indexes WHERE tablename = 'orders'"
    : "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'orders'"
  const found = (await db.query<{ name: string }>(names)).map(({ name }) => name)
  const used = new Set(lists.flatMap(([, , , indexes]) => indexes))
  expect(found.filter((name) => !used.has(name))).toEqual([])
})

test('the open orders of a pet are counted from an index', async () => {
  const counting = 'SELECT 1 FROM orders WHERE pet_id = 7 AND complete = 0 LIMIT 2'
  expect(await readFrom(counting, [])).toEqual(['orders_open_by_pet'])
})

test.each([
  ['placed', { placedFrom: 0 }],
  ['-placed', { placedFrom: 15_000, complete: true, petId: 7 }],
  ['-shipDate', {}],
  ['shipDate', { complete: true, shipFrom: 10_000 }],
] as const)(
  'a key with too many orders to sort finds all by %s with %j over several pages, each with bounded work',
  async (sort, filter) => {
    const pages: OrderRow[][] = []
    for (let after: Keyset['after'], isLast = false; !isLast; ) {
      const keyset = { ...first(sort), after, limit: 100 }
      const { rows, next } = await findOrders(db, 98, filter, keyset)
      if (isPostgres) expect(await visitedRows(db, (db) => findOrders(db, 98, filter, keyset))).toBeLessThan(8_000)
      pages.push(rows)
      after = next
      isLast = next === undefined
    }
    const { placedFrom = 0, shipFrom, complete, petId } = filter as Parameters<typeof findOrders>[2]
    const conditions = [
      `key_id = 98 AND created_at >= ${placedFrom}`,
      ...(shipFrom === undefined ? [] : [`ship_date >= ${shipFrom}`]),
      ...(complete === undefined ? [] : [`complete = ${complete ? 1 : 0}`]),
      ...(petId === undefined ? [] : [`pet_id = ${petId}`]),
    ]
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
    const order = sort.endsWith('shipDate')
      ? `ship_date IS NULL, ship_date ${direction}, id ${direction}`
      : `created_at ${direction}, id ${direction}`
    const expected = await db.query<OrderRow>(
      `SELECT id FROM orders WHERE ${conditions.join(' AND ')} ORDER BY ${order}`,
    )
    expect(expected.length).toBeGreaterThan(0)
    expect(pages.flat().map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  },
)
