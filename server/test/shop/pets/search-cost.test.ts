import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Keyset } from '../../../src/platform/db/clauses.ts'
import type { Queryable, Transaction, Value } from '../../../src/platform/db/database.ts'
import { foldCase } from '../../../src/platform/lib/text.ts'
import { findPets, type PetFilter, petSorts } from '../../../src/shop/pets/store.ts'
import { writePatiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'
import { visitedRows } from '../../harness/visited-rows.ts'
import { hostileName, hostileSearches } from './hostile-names.ts'

// For any names and any search term, a search reads a bounded number of index entries, rows and characters. bench/search.ts measures
// the cost.

const pets = 20_000
const categories = Array.from({ length: 20 }, (_, index) => index + 1)
const onPostgres = process.env.TEST_ENGINE === 'postgres'

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context
const write = (work: (tx: Transaction) => Promise<unknown>) => writePatiently(() => db.exclusively(work))

const names = Array.from({ length: pets }, (_, n) => foldCase(hostileName(n)))

beforeAll(async () => {
  await write(async (tx) => {
    for (const id of categories) {
      await tx.query("INSERT INTO categories (id, name, name_folded) VALUES ($1, 'Kind', 'kind')", [id])
    }
    for (let first = 0; first < pets; first += 500) {
      const values: Value[] = []
      const rows = names.slice(first, first + 500).map((name, index) => {
        const category = 1 + (((first + index) >> 2) % categories.length)
        return `(${[name, name, category].map((value) => `$${values.push(value)}`).join(', ')}, 'available', 0)`
      })
      await tx.query(
        `INSERT INTO pets (name, name_folded, category_id, status, held) VALUES ${rows.join(', ')}`,
        values,
      )
    }
  })
  await write(async (tx) => tx.query('ANALYZE'))
})

interface Sent {
  readonly sql: string
  readonly params: readonly Value[]
}

/** The statements a search sends, and its results. */
async function search(filter: PetFilter, keyset: Keyset) {
  const sent: Sent[] = []
  const recording: Queryable = {
    dialect: db.dialect,
    query<R>(sql: string, params: readonly Value[] = []) {
      sent.push({ sql, params })
      return db.query<R>(sql, params)
    },
  }
  return { sent, found: await findPets(recording, filter, keyset) }
}

const keyset = (sort: keyof typeof petSorts): Keyset => ({ sort: petSorts[sort], limit: 20, after: undefined })
const filters: PetFilter[] = [
  {},
  { status: ['available'] },
  { categoryId: [3], status: ['available'] },
  { categoryId: categories },
]

/** The index lookups of a statement: how many parts each has, and how many entries it may read. */
function lookUps({ sql, params }: Sent): { parts: string[]; limit: number }[] {
  return [...sql.matchAll(/MATCH \$(\d+)(?: LIMIT (\d+))?/g)].map(([, place, limit]) => ({
    parts: [...String(params[Number(place) - 1]).matchAll(/"((?:[^"]|"")*)"/g)].map(([, part]) => part as string),
    limit: Number(limit),
  }))
}

const entriesOf = new Map<string, number>()
function entries(part: string): number {
  const known = entriesOf.get(part) ?? names.filter((name) => name.includes(part.replaceAll('""', '"'))).length
  entriesOf.set(part, known)
  return known
}

/** On SQLite: how many index entries the statements of a search may read. */
function entriesRead(sent: readonly Sent[]): number {
  return sent.flatMap(lookUps).reduce((sum, { parts, limit }) => {
    // Each part is one token: a phrase of several is compared in every row that has them all.
    for (const part of parts) expect([...part.replaceAll('""', '"')]).toHaveLength(3)
    // Several parts are intersected to the end of the shortest list, regardless of the limit.
    return (
      sum +
      (parts.length === 1
        ? Math.min(limit, entries(parts[0] as string))
        : parts.reduce((all, part) => all + entries(part), 0))
    )
  }, 0)
}

/** On PostgreSQL, whose index returns all entries of a part: how many the rarest part of a statement has. */
function entriesOfRarest({ sql, params }: Sent): number {
  const [, ...places] = /_holding\(\$(\d+), \$(\d+), \$(\d+)/.exec(sql) ?? []
  return Math.min(
    ...places.map((place) => {
      // LIKE scans a long text once per letter of the pattern, so the pattern has three.
      const [, part] = /^%([\p{L}\p{N}]{3})%$/u.exec(String(params[Number(place) - 1])) ?? []
      expect(part).toBeDefined()
      return entries(part as string)
    }),
  )
}

/** Eight parts of 2,501 entries, three of 2,500 twice. */
const entriesMax = 8 * 2_501 + 2 * 3 * 2_500
/** A part is used if at most 2 % of about 140 random rows have it. It is practically impossible that one in a fifth of all rows looks so rare. */
const shareMax = 0.2
/** Candidates, rows in order, and the random sample. */
const rowsMax = 6_000

test.each(hostileSearches.map((q) => [q]))(
  '%s',
  async (q) => {
    for (const filter of filters) {
      for (const sort of ['id', '-name'] as const) {
        const { sent, found } = await search({ ...filter, q }, keyset(sort))
        expect(sent.length).toBeLessThanOrEqual(4)
        for (const { sql } of sent) expect(sql).not.toContain(' LIKE ')
        if (onPostgres) {
          for (const each of sent.filter(({ sql }) => sql.includes('_holding('))) {
            expect(entriesOfRarest(each)).toBeLessThanOrEqual(shareMax * pets)
          }
          const rows = await visitedRows(db, (db) => findPets(db, { ...filter, q }, keyset(sort)))
          expect(rows).toBeLessThanOrEqual(rowsMax)
        } else expect(entriesRead(sent)).toBeLessThanOrEqual(entriesMax)
        for (const { sql } of sent) expect(sql).toMatch(/LIMIT \d+/)
        const part = foldCase(q)
        for (const { name } of found.rows) expect(foldCase(name)).toContain(part)
      }
    }
  },
  120_000,
)

test('a long term is looked up by parts of its start, middle and end', async () => {
  const { sent } = await search({ q: 'abcdefghijklmnopqrstuvwxyz' }, keyset('id'))
  expect(sent.flatMap(({ params }) => params)).toEqual(expect.arrayContaining(['abc', 'klm', 'xyz']))
})

test('a page may be empty although others follow, and each match is on one', async () => {
  // The scan for a page ends after 1,000 rows.
  const ids = [999, 1_000, 1_001, 2_000, 2_001, pets]
  for (const id of ids) await service.admin.put(`/store/inventory/${id}`, { quantity: 7 })
  const found: number[] = []
  let path: string | undefined = '/pets/profiles?minQuantity=7&limit=100'
  let empty = 0
  while (path) {
    const { body, headers } = await service.admin.get(path)
    found.push(...body.map((pet: { id: number }) => pet.id))
    path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    if (body.length === 0 && path) empty++
  }
  expect(found).toEqual(ids)
  expect(empty).toBeGreaterThan(0)
})

test('pets that others add while a page is read hide none', async () => {
  // The first of the scanned pets are added after the end of the scan was found, and this is one of the last.
  const at = 10_000 - 1_050
  await service.admin.put(`/store/inventory/${at}`, { quantity: 9 })
  const columns = 'id, name, name_folded, category_id, status, held'
  const added = await db.query<Record<string, Value>>(`SELECT ${columns} FROM pets WHERE id BETWEEN 9900 AND 9999`)
  await write(async (tx) => tx.query('DELETE FROM pets WHERE id BETWEEN 9900 AND 9999'))
  const values: Value[] = []
  const rows = added.map((pet) => `(${Object.values(pet).map((value) => `$${values.push(value)}`)})`)
  const page = { ...keyset('-id'), after: [10_000] }
  let statements = 0
  const during: Queryable = {
    dialect: db.dialect,
    async query<R>(sql: string, params: readonly Value[] = []) {
      const found = await db.query<R>(sql, params)
      if (++statements === 1)
        await write(async (tx) => tx.query(`INSERT INTO pets (${columns}) VALUES ${rows.join(', ')}`, values))
      return found
    },
  }
  const found = await findPets(during, { minQuantity: 9 }, page)
  expect(found.rows.map(({ id }) => id)).toEqual([at])
})

test('following the links finds all matches', async () => {
  for (const q of ['abcdefghijklmn', 'rexzor', '🐹🐶🐱🐭1', `${'a'.repeat(40)}12`]) {
    const found: string[] = []
    let path: string | undefined = `/pets?q=${encodeURIComponent(q)}&sort=name&limit=100&categoryId=3,4,5`
    while (path) {
      const { status, body, headers } = await service.admin.get(path)
      expect(status).toBe(200)
      found.push(...body.map((pet: { name: string }) => pet.name))
      path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    }
    const isOfCategory = (n: number) => [3, 4, 5].includes(1 + ((n >> 2) % categories.length))
    const all = names.filter((name, n) => isOfCategory(n) && name.includes(q))
    expect([q, found.length, new Set(found).size]).toEqual([q, all.length, all.length])
  }
}, 120_000)
