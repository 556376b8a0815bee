import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { findOrders, orderSorts } from '../../../src/shop/orders/store.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context
const isPostgres = process.env.TEST_ENGINE === 'postgres'

const numbers = isPostgres
  ? 'SELECT n FROM generate_series(1, 20000) AS n'
  : 'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000) SELECT n FROM numbers'

beforeAll(async () => {
  await db.exclusively(async (tx) => {
    // One in 20 orders is open; pets, keys and ship dates are spread over all of them.
    await tx.query(
      `INSERT INTO orders (id, key_id, pet_id, quantity, ship_date, complete, created_at)
       SELECT n, n % 97, n % 501, 1, CASE WHEN n % 3 = 0 THEN n * 7 % 19997 END, CASE WHEN n % 20 = 0 THEN 0 ELSE 1 END, n
       FROM (${numbers}) AS numbered`,
    )
    await tx.query('ANALYZE')
  })
})

const lists = [
  [1, 'id', {}, 'orders_by_key_and_id'],
  [1, '-id', { complete: true }, 'orders_by_key_and_id'],
  [1, '-id', { complete: false }, 'orders_by_key_and_id'],
  ['everyone', 'id', { petId: 7 }, 'orders_by_pet_and_id'],
  ['everyone', '-id', { petId: 7, complete: false }, 'orders_by_pet_and_id'],
  ['everyone', 'id', { complete: false }, 'orders_open_by_id'],
  [1, 'placed', { placedFrom: 1, placedTo: 20_000 }, 'orders_by_key_and_time'],
  ['everyone', '-placed', { placedFrom: 1, placedTo: 20_000 }, 'orders_by_time'],
  [1, 'shipDate', {}, 'orders_by_key_and_ship_date'],
  ['everyone', '-shipDate', {}, 'orders_by_ship_date'],
] as const

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

test.each(lists)('orders of %j by %s with %j are read from their index', async (owner, sort, filter, index) => {
  const read = new Set<string>()
  const watching: Queryable = {
    dialect: db.dialect,
    async query<R>(sql: string, params?: Parameters<Queryable['query']>[1]) {
      for (const name of await readFrom(sql, params)) read.add(name)
      return db.query<R>(sql, params)
    },
  }
  for (const after of [undefined, sort.endsWith('id') ? [5_000] : [5_000, 5_000]]) {
    await findOrders(watching, owner, filter, { sort: orderSorts[sort], limit: 20, after })
  }
  expect([...read]).toEqual([index])
})

test('every index of orders is used by a list', async () => {
  const names = isPostgres
    ? "SELECT indexname AS name FROM pg_indexes WHERE tablename = 'orders'"
    : "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'orders'"
  const found = (await db.query<{ name: string }>(names)).map(({ name }) => name)
  const needed = lists.map(([, , , index]) => index as string)
  expect(new Set(found.filter((name) => name !== 'orders_pkey'))).toEqual(new Set(needed))
})

test('the open orders of a pet are counted from an index', async () => {
  const counting = 'SELECT 1 FROM orders WHERE pet_id = 7 AND complete = 0 LIMIT 2'
  expect(await readFrom(counting, [])).toEqual(['orders_by_pet_and_id'])
})
