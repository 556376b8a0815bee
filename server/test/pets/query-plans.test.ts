import { afterAll, describe, expect, test } from 'bun:test'
import type { Queryable } from '../../src/db/database.ts'
import { findInventory, inventorySorts } from '../../src/inventory/store.ts'
import { findPets, type PetFilter, petSorts } from '../../src/pets/store.ts'
import { startService } from '../harness/service.ts'

// How SQLite finds a page, from its own mouth: a page must cost the same however many pets there are.

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context

/** The steps of the plans of all statements that `find` runs. */
async function planOf(find: (db: Queryable) => Promise<unknown>): Promise<string[]> {
  const steps: string[] = []
  await find({
    ...db,
    async query<R>(sql: string, params?: Parameters<Queryable['query']>[1]) {
      const plan = await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
      steps.push(...plan.map(({ detail }) => detail))
      return [] as R[]
    },
  })
  return steps
}

const filters: PetFilter[] = [
  {},
  { categoryId: 1 },
  { status: ['available'] },
  { status: ['available', 'sold'] },
  { status: ['available', 'sold'], categoryId: 1 },
]
const sorts = ['id', '-id', 'name', '-name'] as const
const keysets = sorts.flatMap((sort) =>
  [undefined, sort.endsWith('name') ? ['Rex', 7] : [7]].map((after) => ({ sort: petSorts[sort], limit: 20, after })),
)

/** Steps that sort more than what pages have found: then every row that matches has been read. */
const sortings = (plan: string[]) =>
  plan.filter((step, index) => step.includes('FOR ORDER BY') && plan[index - 1] !== 'SCAN found')

describe.if(process.env.TEST_ENGINE !== 'postgres')('on SQLite', () => {
  test.each(filters)('pets with %j are read in order, whichever it is', async (filter) => {
    for (const keyset of keysets) expect(sortings(await planOf((db) => findPets(db, filter, keyset)))).toEqual([])
  })

  test.each(filters)(
    'a search with %j asks the search index first, and each pet it found after that',
    async (filter) => {
      for (const keyset of keysets) {
        const plan = await planOf((db) => findPets(db, { ...filter, q: 'rex' }, keyset))
        const tables = plan.flatMap((step) => /^(?:SCAN|SEARCH) (pets\w*)/.exec(step)?.[1] ?? [])
        expect(tables).toEqual((filter.status ?? ['any']).flatMap(() => ['pets_search', 'pets']))
      }
    },
  )

  test.each([{}, { status: ['sold'] }, { status: ['sold', 'pending'] }])(
    'the inventory with %j is read in order',
    async (filter) => {
      for (const after of [undefined, [7]]) {
        const keyset = { sort: inventorySorts.petId, limit: 20, after }
        const plan = await planOf((db) => findInventory(db, filter as PetFilter, keyset))
        expect([plan.length > 0, sortings(plan)]).toEqual([true, []])
      }
    },
  )
})
