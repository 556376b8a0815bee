import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Keyset } from '../../../src/platform/db/clauses.ts'
import type { Transaction } from '../../../src/platform/db/database.ts'
import { findInventory, inventorySorts } from '../../../src/shop/inventory/store.ts'
import type { PetStatus } from '../../../src/shop/pets/status.ts'
import { findPets, type PetFilter, petSorts } from '../../../src/shop/pets/store.ts'
import { writePatiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'
import { visitedRows, watchStatements } from '../../harness/visited-rows.ts'

// With 100,000 pets, no list reads more than a bounded number of rows: any filter, with or without matches, first page or last.

const visitedMax = 12_000

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context
const write = (work: (tx: Transaction) => Promise<unknown>) => writePatiently(() => db.exclusively(work))

/** Rows are added in parts: on PostgreSQL a long transaction delays the events of all other tests. */
const partSize = 5_000

const numbersIn = (first: number, last: number) =>
  process.env.TEST_ENGINE === 'postgres'
    ? `SELECT n FROM generate_series(${first}, ${last}) AS n`
    : `WITH RECURSIVE numbers(n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last}) SELECT n FROM numbers`

beforeAll(async () => {
  await write(async (tx) => {
    for (let id = 1; id <= 3; id++) {
      await tx.query("INSERT INTO categories (id, name, name_folded) VALUES ($1, 'Kind', 'kind')", [id])
    }
  })
  for (let first = 1; first <= 100_000; first += partSize) {
    const last = first + partSize - 1
    await write(async (tx) => {
      // Nearly all are geckos. The zebras are together at the end when sorted by name, and all are sold.
      await tx.query(
        `INSERT INTO pets (name, name_folded, category_id, status, held)
         SELECT CASE WHEN n > 97000 THEN 'Zebra ' ELSE 'Gecko ' END || n, CASE WHEN n > 97000 THEN 'zebra ' ELSE 'gecko ' END || n,
                1 + n % 2, CASE WHEN n > 97000 THEN 'sold' WHEN n % 3 = 0 THEN 'pending' ELSE 'available' END, 0
         FROM (${numbersIn(first, last)}) AS numbered`,
      )
      await tx.query(
        `INSERT INTO inventory (pet_id, quantity) SELECT n, n FROM (${numbersIn(first, last)}) AS numbered`,
      )
    })
  }
  await write(async (tx) => tx.query('ANALYZE'))
})

const statuses: (PetStatus[] | undefined)[] = [undefined, ['available'], ['sold'], ['available', 'pending', 'sold']]
const categories = [undefined, [1], [3], [1, 2, 3]]
const searches: Pick<PetFilter, 'q' | 'ids' | 'minQuantity' | 'maxQuantity'>[] = [
  {},
  { q: 'gecko' },
  { q: 'zebra' },
  { q: 'nowhere' },
  { q: '77777' },
  { q: 'zq' },
  { q: '|' },
  { ids: [7, 99_000, 5_000_000] },
  { minQuantity: 99_990 },
  { q: 'gecko', maxQuantity: 2 },
]
const filters: PetFilter[] = statuses.flatMap((status) =>
  categories.flatMap((categoryId) => searches.map((search) => ({ status, categoryId, ...search }))),
)
const keysets = (['id', '-id', 'name', '-name'] as const).flatMap((name): Keyset[] => {
  const places = name.endsWith('name')
    ? [undefined, ['Gecko 5', 5], ['Zebra 98000', 98_000]]
    : [undefined, [5], [98_000]]
  return places.map((after) => ({ sort: petSorts[name], limit: 20, after }))
})

describe.if(process.env.TEST_ENGINE === 'postgres')('on PostgreSQL', () => {
  /** Each status, category and search meets each keyset, if not in every combination. */
  const someFor = (filter: PetFilter) => {
    const at = filters.indexOf(filter)
    const [search, category, status] = [at % 10, Math.floor(at / 10) % 4, Math.floor(at / 40)]
    return keysets.filter((_, index) => (index + search + 2 * category + status) % 6 === 0)
  }

  test.each(filters)('pets with %j', async (filter) => {
    for (const keyset of someFor(filter)) {
      const rows = await visitedRows(db, (db) => findPets(db, filter, keyset))
      expect({ keyset, rows, isBounded: rows <= visitedMax }).toEqual({ keyset, rows, isBounded: true })
    }
  })

  test.each(statuses)('the inventory with little in stock, status %j', async (...status) => {
    const filter = { status: status.filter((each) => each !== undefined) as unknown as PetStatus[], maxQuantity: 0 }
    const keyset = { sort: inventorySorts.petId, limit: 20, after: undefined }
    const wanted = filter.status.length > 0 ? filter : { maxQuantity: 0 }
    expect(await visitedRows(db, (db) => findInventory(db, wanted, keyset))).toBeLessThanOrEqual(visitedMax)
  })
})

describe.if(process.env.TEST_ENGINE !== 'postgres')('on SQLite', () => {
  /** Steps that sort rows without a LIMIT. */
  const sortings = (plan: string[]) =>
    plan.filter(
      (step, index) =>
        step.includes('FOR ORDER BY') &&
        !/SCAN (found|walked|fetched|counted)|LIST SUBQUERY/.test(plan[index - 1] ?? ''),
    )

  /** A plan of SQLite depends on nothing but the text. */
  const known = new Set<string>()

  test.each(filters)('pets with %j are read in order, or fetched by their keys', async (filter) => {
    for (const keyset of keysets) {
      await watchStatements(
        db,
        (db) => findPets(db, filter, keyset),
        async (sql, params) => {
          if (known.has(sql)) return
          known.add(sql)
          const plan = (await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)).map(
            ({ detail }) => detail,
          )
          expect({ sql, sortings: sortings(plan) }).toEqual({ sql, sortings: [] })
          // Every scan has its own LIMIT.
          expect(sql).toMatch(/LIMIT \d+/)
        },
      )
    }
  })

  test.each([{}, { status: ['sold'] }, { status: ['sold', 'pending'] }])(
    'the inventory with %j is read in order',
    async (filter) => {
      for (const after of [undefined, [7]]) {
        const keyset = { sort: inventorySorts.petId, limit: 20, after }
        await watchStatements(
          db,
          (db) => findInventory(db, { ...(filter as PetFilter), maxQuantity: 0 }, keyset),
          async (sql, params) => {
            const plan = (await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)).map(
              ({ detail }) => detail,
            )
            expect([plan.length > 0, sortings(plan)]).toEqual([true, []])
          },
        )
      }
    },
  )
})

test('matches at the far end are found by following the links, with bounded work per page', async () => {
  const api = service.admin
  const found: string[] = []
  let path: string | undefined = '/pets?q=zebra&sort=name&status=sold&limit=100'
  let pages = 0
  while (path && pages < 200) {
    const { status, body, headers } = await api.get(path)
    expect(status).toBe(200)
    found.push(...body.map((pet: { name: string }) => pet.name))
    path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    pages++
  }
  expect(new Set(found).size).toBe(3_000)
  expect(found).toEqual(found.toSorted((one, other) => (one < other ? -1 : 1)))
})
