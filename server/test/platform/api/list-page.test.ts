import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ApiResponse, type Client, startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

const nextOf = (response: ApiResponse): string | undefined => {
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  if (next === undefined) return undefined
  const { pathname, search } = new URL(next)
  return pathname + search
}

/** Reads all pages; `between` runs before each following one. */
async function follow(client: Client, path: string, between = async () => {}) {
  const pages: { id: number; name: string }[][] = []
  for (let at: string | undefined = path; at !== undefined; ) {
    const response: ApiResponse = await client.get(at)
    expect(response.status).toBe(200)
    pages.push(response.body)
    at = nextOf(response)
    if (at !== undefined) await between()
  }
  return pages
}

async function newShelf(count: number, name = (index: number) => `Pet ${index}`) {
  const categoryId = await api.newCategory()
  for (let index = 0; index < count; index++) await api.post('/pets', { name: name(index), categoryId })
  return categoryId
}

test('a page has 20 items by default, 100 at most, and the last has no next link', async () => {
  const categoryId = await newShelf(21)
  const sizes = async (query: string) =>
    (await follow(api, `/pets?categoryId=${categoryId}${query}`)).map((page) => page.length)
  expect(await sizes('')).toEqual([20, 1])
  expect(await sizes('&limit=7')).toEqual([7, 7, 7])
  expect(await sizes('&limit=100')).toEqual([21])
  expect(await sizes('&limit=21')).toEqual([21])
})

test.each(['😀', '"'])('names of 200 × %j can be sorted and paged', async (letter) => {
  const categoryId = await newShelf(3, () => letter.repeat(200))
  expect((await follow(api, `/pets?categoryId=${categoryId}&sort=name&limit=1`)).flat()).toHaveLength(3)
})

test('a cursor with anything appended is rejected', async () => {
  const categoryId = await newShelf(2)
  const { headers } = await api.get(`/pets?categoryId=${categoryId}&limit=1`)
  const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1]
  const path = `/pets?categoryId=${categoryId}&cursor=`
  expect((await api.get(path + cursor)).status).toBe(200)
  for (const added of ['!', '=', 'A', '%20', 'A'.repeat(2_000)]) {
    expect((await api.get(path + cursor + added)).body.code).toBe('invalid_cursor')
  }
})

test('the link keeps the filters and the sort, and starts with the base URL', async () => {
  const categoryId = await newShelf(3)
  const response = await api.get(`/pets?status=available&status=sold&sort=-name&categoryId=${categoryId}&limit=1&q=%25`)
  expect(response.body).toEqual([])
  const full = await api.get(`/pets?status=available&status=sold&sort=-name&categoryId=${categoryId}&limit=1`)
  const url = new URL(/<([^>]+)>/.exec(full.headers.get('link') ?? '')?.[1] ?? '')
  expect(url.origin).toBe('http://petstore.test')
  expect(url.searchParams.getAll('status')).toEqual(['available', 'sold'])
  expect(url.searchParams.get('sort')).toBe('-name')
})

test.each(['id', '-id', 'name', '-name'])('pages of several statuses by %s form one ordered list', async (sort) => {
  const categoryId = await api.newCategory()
  const statuses = ['available', 'pending', 'sold']
  for (let index = 0; index < 18; index++) {
    await api.post('/pets', { name: `Pet ${(index * 7) % 6}`, categoryId, status: statuses[index % 3] })
  }
  const all = (await api.get(`/pets?categoryId=${categoryId}&sort=${sort}&limit=100`)).body as { status: string }[]
  for (const wanted of [['pending', 'available'], ['sold', 'pending', 'sold'], statuses]) {
    const query = wanted.map((status) => `&status=${status}`).join('')
    const pages = await follow(api, `/pets?categoryId=${categoryId}&sort=${sort}&limit=5${query}`)
    expect(pages.flat() as object[]).toEqual(all.filter(({ status }) => wanted.includes(status)))
  }
})

test.each(['id', '-id', 'name', '-name'])(
  'by %s no pet is skipped or repeated while others are added',
  async (sort) => {
    // A failure prints its seed.
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'B', 'ä', 'zz'), { minLength: 5, maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('0', 'a', 'm', 'ä', '~'),
        async (shelf, limit, newcomer) => {
          const categoryId = await newShelf(shelf.length, (index) => shelf[index] as string)
          let newcomers = 0
          const before = (await api.get(`/pets?categoryId=${categoryId}&limit=100`)).body as { id: number }[]
          const seen = await follow(api, `/pets?categoryId=${categoryId}&limit=${limit}&sort=${sort}`, async () => {
            // Only three: sorted by ascending id, there would always be another page.
            if (newcomers++ < 3) await api.post('/pets', { name: newcomer, categoryId })
          })
          const ids = seen.flat().map(({ id }) => id)
          expect(new Set(ids).size).toBe(ids.length)
          for (const { id } of before) expect(ids).toContain(id)
        },
      ),
      { numRuns: 5 },
    )
  },
)
test('rows that are deleted while paging do not affect later pages', async () => {
  const categoryId = await newShelf(6)
  const first = await api.get(`/pets?categoryId=${categoryId}&limit=2`)
  for (const { id } of first.body) await api.delete(`/pets/${id}`)
  const rest = await follow(api, nextOf(first) as string)
  expect(rest.flat().map(({ name }) => name)).toEqual(['Pet 2', 'Pet 3', 'Pet 4', 'Pet 5'])
})

test.each(['garbage', 'WyJpZCJd', btoa('["id","x"]'), btoa('["id",1,2]'), btoa('["id",1.5]'), btoa('{}'), '%00'])(
  'the cursor %s is rejected',
  async (cursor) => {
    const { status, body } = await api.get(`/pets?cursor=${cursor}`)
    expect([status, body.code]).toEqual([400, 'invalid_cursor'])
  },
)

test.each([
  ['id', [[], [1, 1], ['1'], [1.5], [null], [2 ** 53], [true]]],
  ['name', [['Rex'], ['Rex', 1, 1], [1, 1], [null, 1], ['Rex', 'x'], ['R\0x', 1], ['\ud800', 1]]],
])('a cursor by %s whose values were replaced by others is rejected', async (sort, others) => {
  const path = `/pets?categoryId=${await newShelf(2)}&sort=${sort}&limit=1`
  const cursor = /cursor=([\w-]+)/.exec((await api.get(path)).headers.get('link') ?? '')?.[1] ?? ''
  const [digest] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  for (const values of others) {
    const forged = Buffer.from(JSON.stringify([digest, ...values])).toString('base64url')
    const { status, body } = await api.get(`${path}&cursor=${forged}`)
    expect([values, status, body.code]).toEqual([values, 400, 'invalid_cursor'])
  }
})

test('the cursor of another sort or another list is rejected', async () => {
  const categoryId = await newShelf(3)
  const byId = nextOf(await api.get(`/pets?categoryId=${categoryId}&limit=1`)) as string
  const cursor = new URLSearchParams(byId.split('?')[1]).get('cursor')
  for (const path of [`/pets?sort=name&cursor=${cursor}`, `/store/inventory?cursor=${cursor}`]) {
    expect((await api.get(path)).body.code).toBe('invalid_cursor')
  }
})

test('a cursor belongs to its list, its sort and its filters; the size of the page may change', async () => {
  const categoryId = await newShelf(4)
  const cursorOf = async (path: string) =>
    /cursor=([\w-]+)/.exec((await api.get(path)).headers.get('link') ?? '')?.[1] ?? ''
  const own = `/pets?categoryId=${categoryId}`
  const cursor = await cursorOf(`${own}&limit=1`)
  expect((await api.get(`${own}&limit=2&cursor=${cursor}`)).body).toHaveLength(2)
  const ofTwo = await cursorOf(`${own}&status=available&status=sold&limit=1`)
  const sameFilters = `/pets?status=sold,available,sold&cursor=${ofTwo}&categoryId=${categoryId}`
  expect((await api.get(sameFilters)).body).toHaveLength(3)
  await api.newCategory()
  const others = [
    `/pets?cursor=${cursor}`,
    `${own}&status=available&cursor=${cursor}`,
    `${own}&sort=-id&cursor=${cursor}`,
    `/pets/profiles?categoryId=${categoryId}&cursor=${cursor}`,
    `/categories?cursor=${cursor}`,
    `/keys?cursor=${cursor}`,
    `/store/orders?cursor=${cursor}`,
    `/store/inventory?cursor=${cursor}`,
    `${own}&cursor=${await cursorOf('/categories?limit=1')}`,
  ]
  for (const path of others) {
    const { status, body } = await api.get(path)
    expect([path, status, body.code]).toEqual([path, 400, 'invalid_cursor'])
  }
})
