import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { PetStore } from '../src/index.ts'
import { exportPages, type ImportOptions, importRecords, ndjson, type Rejection } from '../src/pet-files/index.ts'
import { virtualTime } from './virtual-time.ts'

// An import over a real service. cli/test/transfer.test.ts and console/test/files.test.ts import whole files.

const service = await startService()
afterAll(() => service.stop())

/** Imports these records with a key, and returns the result, the rejections and the size of each batch. */
async function importAs(secret: string, records: readonly object[], options: Partial<ImportOptions> = {}) {
  const time = virtualTime(service.clock)
  const batches: number[] = []
  let sent = 0
  const shop = new PetStore({
    baseUrl: service.url,
    apiKey: secret,
    ...time,
    totalMs: 3_600_000,
    fetch: (url, init) => {
      sent++
      if (url.endsWith('/pets/batch')) batches.push(JSON.parse(String(init.body)).length)
      return time.fetch(url, init)
    },
  })
  const rejections: Rejection[] = []
  const file = new Blob([records.map((record) => `${JSON.stringify(record)}\n`).join('')])
  const lines = ndjson.read(file.stream())
  const onRejected = (one: Rejection) => rejections.push(one)
  const result = await importRecords(shop, { lines, onRejected, requestsSent: () => sent, ...options })
  return { result, rejections, batches }
}

const petsOf = async (q: string) => (await service.admin.get(`/pets/profiles?q=${q}`)).body

test('on a small plan a batch is a sixth of what the key may send in a minute', async () => {
  const { secret } = await service.newClient({ plan: 'free', preset: 'staff' })
  const records = Array.from({ length: 70 }, (_, index) => ({ name: `Small ${index}`, category: 'Small' }))
  const { result, batches } = await importAs(secret as string, records)
  expect(batches).toEqual([10, 10, 10, 10, 10, 10, 10])
  expect(result).toMatchObject({ pets: 70, categories: 1, rejected: 0 })
})

test('a dry run says how many requests the import costs', async () => {
  const { secret } = await service.newClient({ plan: 'business', preset: 'staff' })
  const left = async () => (await service.as(secret).get('/limits')).body.windows[1].remaining as number
  const records = [
    { name: 'Costs one', category: 'Costly' },
    { name: 'Costs two', category: 'Costly', stock: 7 },
    { name: 'Costs three', category: 'Costly', stock: 7, status: 'sold' },
  ]
  const { result: checked } = await importAs(secret as string, records, { dryRun: true })
  const before = await left()
  const { result } = await importAs(secret as string, records)
  expect(checked.requests).toBe(before - (await left()))
  expect(result.requests).toBe(checked.requests)
})

test('on a large plan a batch has 100 pets', async () => {
  const records = Array.from({ length: 101 }, (_, index) => ({ name: `Large ${index}`, category: 'Large' }))
  expect((await importAs(service.adminSecret, records)).batches).toEqual([100, 1])
})

test('an export has every pet, in pages of 100', async () => {
  const shop = new PetStore({ baseUrl: service.url, apiKey: service.adminSecret })
  const pages = await Array.fromAsync(exportPages(shop, { format: ndjson, columns: 'portable' }))
  const { total } = (await service.admin.get('/pets/counts')).body
  expect(pages.map(({ pets }) => pets)).toEqual([100, total - 100])
  expect(pages.map(({ text }) => text.match(/"kind":"pet"/g)?.length)).toEqual([100, total - 100])
})

test('a category may differ in case if that is allowed: the first one of that name is taken', async () => {
  const first = await service.admin.newCategory('Cats')
  const second = await service.admin.newCategory('CATS')
  const { result } = await importAs(service.adminSecret, [{ name: 'Any case', category: 'cats' }], { ignoreCase: true })
  expect(result.newCategories).toEqual([])
  expect(await petsOf('Any%20case')).toMatchObject([{ categoryId: first }])
  await importAs(service.adminSecret, [{ name: 'Same case', category: 'CATS' }], { ignoreCase: true })
  expect(await petsOf('Same%20case')).toMatchObject([{ categoryId: second }])
  const exact = await importAs(service.adminSecret, [{ name: 'Exact', category: 'cats' }])
  expect(exact.result.newCategories).toEqual(['cats'])
})

test('a category that is created is there for the next line in another case, if that is allowed', async () => {
  const records = ['Newts', 'newts', 'NEWTS'].map((category) => ({ name: 'Amphibian', category }))
  const dry = await importAs(service.adminSecret, records, { ignoreCase: true, dryRun: true })
  expect(dry.result.newCategories).toEqual(['Newts'])
  const { result } = await importAs(service.adminSecret, records, { ignoreCase: true })
  expect(result).toMatchObject({ pets: 3, categories: 1, newCategories: ['Newts'] })
  expect(new Set((await petsOf('Amphibian')).map(({ categoryId }: { categoryId: number }) => categoryId)).size).toBe(1)
})

test('without leave to create categories, lines that name a missing one are rejected', async () => {
  const records = [
    { name: 'Homeless', category: 'Nowhere' },
    { name: 'Housed', category: 'Cats' },
  ]
  const { result, rejections } = await importAs(service.adminSecret, records, { canCreateCategories: false })
  expect(result).toMatchObject({ pets: 1, categories: 0, rejected: 1 })
  expect(rejections).toMatchObject([{ line: 1, message: 'category: there is no category "Nowhere"' }])
})

test('stock is set unless the key may not set it', async () => {
  const stocked = (name: string) => [{ name, category: 'Cats', stock: 7 }]
  await importAs(service.adminSecret, stocked('Stocked'))
  await importAs(service.adminSecret, stocked('Unstocked'), { canSetStock: false })
  expect(await petsOf('tocked')).toMatchObject([
    { name: 'Stocked', stock: 7 },
    { name: 'Unstocked', stock: 1 },
  ])
})

test('an import that is repeated sets no stock that has changed since', async () => {
  const records = ['sold', 'unset'].map((name) => ({ name: `Hanging ${name}`, category: 'Cats', stock: 5 }))
  const options = { idempotency: 'interrupted-while-stock-is-set' }
  const stock = () => petsOf('Hanging')
  await importAs(service.adminSecret, records, options)
  const [sold, unset] = await stock()
  await service.admin.post('/store/orders', { petId: sold.id, quantity: 2 })
  await service.admin.put(`/store/inventory/${unset.id}`, { quantity: 1 })
  const start = { afterLine: 0, counts: { pets: 0, categories: 0, rejected: 0 }, isInterrupted: true }
  await importAs(service.adminSecret, records, { ...options, start })
  expect(await stock()).toMatchObject([{ stock: 3 }, { stock: 5 }])
})

test('an import goes on after the last line that is done', async () => {
  const records = ['Done', 'Next', 'Last'].map((name) => ({ name: `Resumed ${name}`, category: 'Cats' }))
  const start = { afterLine: 1, counts: { pets: 1, categories: 2, rejected: 3 }, isInterrupted: true }
  const { result } = await importAs(service.adminSecret, records, { start })
  expect(result).toMatchObject({ pets: 3, categories: 2, rejected: 3 })
  expect((await petsOf('Resumed')).map(({ name }: { name: string }) => name)).toEqual(['Resumed Next', 'Resumed Last'])
})

test('a file is imported once; only one that was interrupted may repeat its batch', async () => {
  const records = [{ name: 'Repeated', category: 'Cats' }]
  const options = { idempotency: 'the-same-file' }
  expect((await importAs(service.adminSecret, records, options)).result.pets).toBe(1)
  await expect(importAs(service.adminSecret, records, options)).rejects.toThrow('This file was imported before.')
  const start = { afterLine: 0, counts: { pets: 0, categories: 0, rejected: 0 }, isInterrupted: true }
  expect((await importAs(service.adminSecret, records, { ...options, start })).result.pets).toBe(1)
  expect(await petsOf('Repeated')).toHaveLength(1)
})

test('lines rejected here or by the server are reported in their order, and the rest of the batch is registered', async () => {
  const { id } = await service.admin.post('/categories', { name: 'Short-lived' }).then(({ body }) => body)
  let isDeleted = false
  const time = virtualTime(service.clock)
  const shop = new PetStore({
    baseUrl: service.url,
    apiKey: service.adminSecret,
    ...time,
    fetch: async (url, init) => {
      // Deleted by someone else after the import has read the categories.
      if (url.endsWith('/pets/batch') && !isDeleted) await service.admin.delete(`/categories/${id}`)
      isDeleted ||= url.endsWith('/pets/batch')
      return time.fetch(url, init)
    },
  })
  const lines = ndjson.read(
    new Blob([
      '{"name":"","category":"Cats"}\n{"name":"Good","category":"Cats"}\n{"name":"Homeless","category":"Short-lived"}\n',
      '{"name":"Better","category":"Cats"}\nno JSON',
    ]).stream(),
  )
  const rejections: Rejection[] = []
  const result = await importRecords(shop, { lines, onRejected: (one) => rejections.push(one) })
  expect(result).toMatchObject({ pets: 2, rejected: 3 })
  expect(rejections.map(({ line }) => line)).toEqual([1, 3, 5])
  expect(rejections[1]?.message).toContain('categoryId: ')
})

test('faults at the end of a file are reported although no pet follows', async () => {
  const nameless = { name: '', category: 'Cats' }
  const alone = await importAs(service.adminSecret, [nameless])
  expect([alone.result.rejected, alone.rejections.map(({ line }) => line)]).toEqual([1, [1]])
  const full = Array.from({ length: 100 }, (_, index) => ({ name: `Full batch ${index}`, category: 'Cats' }))
  const after = await importAs(service.adminSecret, [...full, nameless])
  expect([after.result.pets, after.result.rejected, after.rejections.map(({ line }) => line)]).toEqual([100, 1, [101]])
})

test('a category that cannot be created is a rejected line, and the rest is imported; a dry run says so too', async () => {
  const described = (length: number) => ({
    kind: 'category',
    name: `Described ${length}`,
    description: 'x'.repeat(length),
  })
  const records = [described(2_000), described(2_001), { name: 'After it', category: 'Described 2000' }]
  for (const dryRun of [true, false]) {
    const { result, rejections } = await importAs(service.adminSecret, records, { dryRun })
    expect(result).toMatchObject({ pets: 1, categories: 1, rejected: 1 })
    expect(rejections).toMatchObject([{ line: 2, message: 'description: must have at most 2000 characters' }])
  }
})

test('a category that only the service rejects is a rejected line, and is not counted', async () => {
  const time = virtualTime(service.clock)
  const shop = new PetStore({
    baseUrl: service.url,
    apiKey: service.adminSecret,
    ...time,
    // A newer service may have stricter rules than this client.
    fetch: (url, init) =>
      time.fetch(url, { ...init, ...(String(init.body).includes('Strict') && { body: '{"name":" "}' }) }),
  })
  const lines = ndjson.read(
    new Blob(['{"kind":"category","name":"Strict"}\n{"name":"Beside it","category":"Cats"}\n']).stream(),
  )
  const rejections: Rejection[] = []
  const result = await importRecords(shop, { lines, onRejected: (one) => rejections.push(one) })
  expect(result).toMatchObject({ pets: 1, categories: 0, rejected: 1 })
  expect(rejections).toMatchObject([{ line: 1, message: 'category name: must have a visible character' }])
})
