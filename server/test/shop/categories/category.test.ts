import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

test('a category is created, read, replaced, changed and deleted', async () => {
  const created = await api.post('/categories', { name: 'Dogs', description: 'Loud.' })
  expect(created.status).toBe(201)
  const path = `/categories/${created.body.id}`
  expect(created.headers.get('location')).toBe(`http://petstore.test${path}`)
  expect((await api.get(path)).body).toEqual({ id: created.body.id, name: 'Dogs', description: 'Loud.' })
  expect((await api.patch(path, { name: 'Hounds' })).body).toMatchObject({ name: 'Hounds', description: 'Loud.' })
  expect((await api.delete(path)).status).toBe(204)
  expect((await api.get(path)).body.code).toBe('category_not_found')
})

test('replacing without a description removes it', async () => {
  const { body } = await api.post('/categories', { name: 'Dogs', description: 'Loud.' })
  expect((await api.put(`/categories/${body.id}`, { name: 'Cats' })).body).toEqual({ id: body.id, name: 'Cats' })
})

test('a patch removes the description with null, but not the name', async () => {
  const { body } = await api.post('/categories', { name: 'Dogs', description: 'Loud.' })
  const path = `/categories/${body.id}`
  expect((await api.patch(path, { description: null })).body).toEqual({ id: body.id, name: 'Dogs' })
  expect((await api.patch(path, { name: null })).status).toBe(400)
})

test('a description may be empty or have up to 2,000 characters', async () => {
  expect((await api.post('/categories', { name: 'A', description: '' })).body.description).toBe('')
  expect((await api.post('/categories', { name: 'A', description: 'x'.repeat(2_000) })).status).toBe(201)
  const { status, body } = await api.post('/categories', { name: 'A', description: 'x'.repeat(2_001) })
  expect([status, body.errors[0].path]).toEqual([400, '/description'])
})

test.if(process.env.TEST_ENGINE === 'postgres')('a change waits for one of another node, and keeps it', async () => {
  const { body } = await api.post('/categories', { name: 'Dogs' })
  const { db } = service.context
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  const { changing } = await db.exclusively(async (tx) => {
    await tx.query("UPDATE categories SET description = 'Loud.' WHERE id = $1", [body.id])
    const changing = api.patch(`/categories/${body.id}`, { name: 'Hounds' })
    await eventually(async () => (await db.query(waiting)).length > 0)
    return { changing }
  })
  expect((await changing).body).toEqual({ id: body.id, name: 'Hounds', description: 'Loud.' })
})

test('a category with pets cannot be deleted until they are gone', async () => {
  const categoryId = await api.newCategory()
  const { body: pet } = await api.post('/pets', { name: 'Rex', categoryId })
  const rejected = await api.delete(`/categories/${categoryId}`)
  expect([rejected.status, rejected.body.code]).toEqual([409, 'category_in_use'])
  await api.delete(`/pets/${pet.id}`)
  expect((await api.delete(`/categories/${categoryId}`)).status).toBe(204)
})

test('lists are searched and sorted', async () => {
  const own = await startService()
  try {
    for (const name of ['Ärzte', 'Birds', 'Cats', 'big cats']) await own.admin.newCategory(name)
    const names = async (query: string) =>
      (await own.admin.get(`/categories?${query}`)).body.map(({ name }: { name: string }) => name)
    expect(await names('')).toEqual(['Ärzte', 'Birds', 'Cats', 'big cats'])
    expect(await names('sort=-id')).toEqual(['big cats', 'Cats', 'Birds', 'Ärzte'])
    expect(await names('sort=name')).toEqual(['Birds', 'Cats', 'big cats', 'Ärzte'])
    expect(await names('sort=-name')).toEqual(['Ärzte', 'big cats', 'Cats', 'Birds'])
    expect(await names('q=CATS')).toEqual(['Cats', 'big cats'])
    expect(await names(`q=${encodeURIComponent('ärz')}`)).toEqual(['Ärzte'])
    expect(await names('q=ca&sort=-id')).toEqual(['big cats', 'Cats'])
    expect(await names('q=none')).toEqual([])
    const renamed = await own.admin.newCategory('Fish')
    await own.admin.patch(`/categories/${renamed}`, { name: 'Koi' })
    expect([await names('q=koi'), await names('q=fish')]).toEqual([['Koi'], []])
  } finally {
    await own.stop()
  }
})

test('the links lead through all pages', async () => {
  const own = await startService()
  try {
    for (let count = 0; count < 5; count++) await own.admin.newCategory(`C${count}`)
    const first = await own.admin.get('/categories?limit=2&sort=name')
    const next = new URL(/<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '')
    expect(next.origin).toBe('http://petstore.test')
    const second = await own.admin.get(next.pathname + next.search)
    expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(['C0', 'C1', 'C2', 'C3'])
  } finally {
    await own.stop()
  }
})
