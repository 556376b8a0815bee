import { afterAll, describe, expect, test } from 'bun:test'
import { type ApiResponse, startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

const dogs = await api.newCategory('Dogs')
const cats = await api.newCategory('Cats')
const names = [
  'Rex',
  'ÄNNCHEN',
  'Straße',
  '100%',
  'under_score',
  `O'Neill "Jr"`,
  'back\\slash',
  'ΣΟΦΟΣΑ',
  'rex the 2nd',
  'Ö',
]
const ids = new Map<string, number>()
for (const [index, name] of names.entries()) {
  const status = ['available', 'pending', 'sold'][index % 3]
  const { body } = await api.post('/pets', { name, categoryId: index < 6 ? dogs : cats, status })
  ids.set(name, body.id)
}

const namesIn = (response: ApiResponse): string[] => response.body.map(({ name }: { name: string }) => name)
const list = async (query: string) => namesIn(await api.get(`/pets?${query}`))
const search = (q: string) => list(`q=${encodeURIComponent(q)}`)

describe('filters', () => {
  test('status, once or several times', async () => {
    expect(await list('status=sold')).toEqual(['Straße', `O'Neill "Jr"`, 'rex the 2nd'])
    expect(await list('status=sold&status=pending')).toHaveLength(6)
    expect(await list('status=sold&status=sold')).toHaveLength(3)
  })

  test('category', async () => {
    expect(await list(`categoryId=${cats}`)).toEqual(names.slice(6))
    expect(await list('categoryId=2000000000')).toEqual([])
    expect(await list('categoryId=9223372036854775807')).toEqual([])
  })

  test('ids', async () => {
    expect(await list(`ids=${ids.get('100%')},${ids.get('Rex')},2000000000`)).toEqual(['Rex', '100%'])
    expect(await list(`ids=${Array(100).fill(ids.get('Rex')).join()}`)).toEqual(['Rex'])
    expect((await api.get(`/pets?ids=${Array(101).fill(1).join()}`)).status).toBe(400)
  })

  test('stock, from and up to a count; without a stock record there is none', async () => {
    // Of the first ones, one is sold.
    await api.put(`/store/inventory/${ids.get('Rex')}`, { quantity: 5 })
    await api.delete(`/store/inventory/${ids.get('under_score')}`)
    const dogsWith = (query: string) => list(`categoryId=${dogs}&${query}`)
    expect(await dogsWith('minQuantity=2')).toEqual(['Rex'])
    expect(await dogsWith('maxQuantity=0')).toEqual(['Straße', 'under_score', `O'Neill "Jr"`])
    expect(await dogsWith('minQuantity=1&maxQuantity=1')).toEqual(['ÄNNCHEN', '100%'])
    expect(await dogsWith('minQuantity=3&maxQuantity=2')).toEqual([])
    expect(await list('q=re&minQuantity=2')).toEqual(['Rex'])
    expect(await list(`ids=${ids.get('Rex')},${ids.get('100%')}&maxQuantity=4`)).toEqual(['100%'])
    expect((await api.get('/pets?maxQuantity=-1')).status).toBe(400)
    const profiles = (await api.get('/pets/profiles?minQuantity=2')).body
    expect(profiles.map(({ name, stock }: { name: string; stock: number }) => [name, stock])).toEqual([['Rex', 5]])
    await api.put(`/store/inventory/${ids.get('under_score')}`, { quantity: 1 })
  })

  test('all filters must match', async () => {
    expect(await list(`categoryId=${dogs}&status=available&q=re`)).toEqual(['Rex'])
    expect(await list(`categoryId=${cats}&status=available&q=Rex`)).toEqual([])
  })
})

describe('search', () => {
  test.each([
    ['rex', ['Rex', 'rex the 2nd']],
    ['REX', ['Rex', 'rex the 2nd']],
    ['e', ['Rex', 'ÄNNCHEN', 'Straße', 'under_score', `O'Neill "Jr"`, 'rex the 2nd']],
    ['RE', ['Rex', 'under_score', 'rex the 2nd']],
    ['ännchen', ['ÄNNCHEN']],
    ['Änn', ['ÄNNCHEN']],
    ['ö', ['Ö']],
    ['strasse', ['Straße']],
    ['STRASSE', ['Straße']],
    ['straße', ['Straße']],
    ['ΣΟΦΟΣ', ['ΣΟΦΟΣΑ']],
    ['σοφος', ['ΣΟΦΟΣΑ']],
    ['%', ['100%']],
    ['00%', ['100%']],
    ['100%', ['100%']],
    ['_', ['under_score']],
    ['r_s', ['under_score']],
    ['"', [`O'Neill "Jr"`]],
    [`'neill "j`, [`O'Neill "Jr"`]],
    ['\\', ['back\\slash']],
    ['k\\s', ['back\\slash']],
    ['x t', ['rex the 2nd']],
    ['AND', []],
    ['rex OR', []],
    ['rex*', []],
  ])('%s finds names that contain it', async (part, found) => {
    expect(await search(part)).toEqual(found)
  })

  test('finds a changed name by its new letters, and no longer by its old ones', async () => {
    const { body } = await api.post('/pets', { name: 'Quincy', categoryId: dogs })
    await api.patch(`/pets/${body.id}`, { name: 'Zebulon' })
    expect([await search('quincy'), await search('zebul')]).toEqual([[], ['Zebulon']])
    await api.delete(`/pets/${body.id}`)
    expect(await search('zebul')).toEqual([])
  })

  test('sorts its results', async () => {
    expect(await list('q=rex&sort=-name')).toEqual(['rex the 2nd', 'Rex'])
  })
})

describe('sort', () => {
  const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  test.each([
    ['id', names],
    ['-id', names.toReversed()],
    ['name', names.toSorted(bytewise)],
    ['-name', names.toSorted(bytewise).toReversed()],
  ])('%s', async (sort, expected) => {
    expect(await list(`sort=${sort}`)).toEqual(expected)
  })
})
