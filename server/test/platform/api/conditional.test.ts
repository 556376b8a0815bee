import { afterAll, describe, expect, test } from 'bun:test'
import { patiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'

// If-Match and If-None-Match on each resource of the catalogue.

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

const resources = {
  pet: {
    path: async () => `/pets/${await api.newPet()}`,
    replacement: async () => ({ name: 'Max', categoryId: await api.newCategory() }),
  },
  category: {
    path: async () => `/categories/${await api.newCategory()}`,
    replacement: async () => ({ name: 'Cats' }),
  },
}

describe.each(Object.entries(resources))('a %s', (_, { path: newPath, replacement }) => {
  test('is written with a current ETag, and the response has the next one', async () => {
    const path = await newPath()
    const etag = (await api.get(path)).headers.get('etag') ?? ''
    const put = await api.put(path, await replacement(), { 'If-Match': etag })
    expect(put.status).toBe(200)
    const next = put.headers.get('etag') ?? ''
    expect(next).not.toBe(etag)
    expect((await api.get(path)).headers.get('etag')).toBe(next)
    expect((await api.patch(path, { name: 'Ben' }, { 'If-Match': `"old", ${next}` })).status).toBe(200)
    expect((await api.delete(path, { 'If-Match': '*' })).status).toBe(204)
  })

  test.each(['PUT', 'PATCH', 'DELETE'])('is not changed by %s with a stale ETag', async (method) => {
    const path = await newPath()
    const stale = (await api.get(path)).headers.get('etag') ?? ''
    await api.patch(path, { name: 'Changed meanwhile' })
    const body = method === 'DELETE' ? undefined : await replacement()
    const response = await api.send(method, path, body, { 'If-Match': stale })
    expect([response.status, response.body.code]).toEqual([412, 'precondition_failed'])
    expect((await api.get(path)).body.name).toBe('Changed meanwhile')
  })

  test('is not written with a weak, unquoted or extended ETag', async () => {
    const path = await newPath()
    const etag = (await api.get(path)).headers.get('etag') ?? ''
    for (const wrong of [`W/${etag}`, etag.replaceAll('"', ''), etag.replace(/"$/, '.more"')]) {
      expect((await api.patch(path, { name: 'Ben' }, { 'If-Match': wrong })).status).toBe(412)
    }
  })

  test('is sent again only after a change', async () => {
    const path = await newPath()
    const etag = (await api.get(path)).headers.get('etag') ?? ''
    const unchanged = await api.get(path, { 'If-None-Match': etag })
    expect([unchanged.status, unchanged.text]).toEqual([304, ''])
    expect((await api.send('HEAD', path, undefined, { 'If-None-Match': etag })).status).toBe(304)
    await api.patch(path, { name: 'Ben' })
    expect((await api.get(path, { 'If-None-Match': etag })).status).toBe(200)
  })

  test('returns 404 rather than 412 if it does not exist', async () => {
    const path = (await newPath()).replace(/\d+$/, '2000000000')
    expect((await api.delete(path, { 'If-Match': '"any"' })).status).toBe(404)
  })
})

test('of several writers with the same ETag one wins', async () => {
  const path = await resources.category.path()
  const etag = (await api.get(path)).headers.get('etag') ?? ''
  const writes = Array.from({ length: 8 }, (_, index) =>
    patiently(() => api.patch(path, { name: `Writer ${index}` }, { 'If-Match': etag })),
  )
  const statuses = (await Promise.all(writes)).map(({ status }) => status).sort()
  expect(statuses).toEqual([200, ...Array(7).fill(412)])
})

test('an ETag stays the same after a restart', async () => {
  const path = await resources.pet.path()
  const before = (await api.get(path)).headers.get('etag')
  await service.restart()
  expect((await api.get(path)).headers.get('etag')).toBe(before)
})

test('a pet can be changed with the ETag of its profile', async () => {
  const path = await resources.pet.path()
  const etag = (await api.get(`${path}/profile`)).headers.get('etag') ?? ''
  expect((await api.patch(path, { name: 'Max' }, { 'If-Match': etag })).status).toBe(200)
  expect((await api.put(path, { name: 'Ben', categoryId: 1 }, { 'If-Match': etag })).body.code).toBe(
    'precondition_failed',
  )
  expect((await api.delete(path, { 'If-Match': etag })).body.code).toBe('precondition_failed')
})

test('the profile has a separate ETag, which changes with category and stock', async () => {
  const path = await resources.pet.path()
  const profile = async () => (await api.get(`${path}/profile`)).headers.get('etag')
  const first = await profile()
  const { body } = await api.get(path)
  await api.patch(`/categories/${body.categoryId}`, { name: 'Other' })
  const second = await profile()
  await api.put(`/store/inventory/${body.id}`, { quantity: 9 })
  expect(new Set([first, second, await profile()]).size).toBe(3)
})

test('a sale or a change of the category does not invalidate the profile’s ETag for an edit of the pet', async () => {
  const path = await resources.pet.path()
  const { body } = await api.get(path)
  await api.put(`/store/inventory/${body.id}`, { quantity: 9 })
  const etag = (await api.get(`${path}/profile`)).headers.get('etag') ?? ''
  expect((await api.post('/store/orders', { petId: body.id })).status).toBe(201)
  await api.patch(`/categories/${body.categoryId}`, { name: 'Others' })
  expect((await api.patch(path, { name: 'Max' }, { 'If-Match': etag })).status).toBe(200)
})

test.each(['', '/profile'])(
  'the sale of the last unit does not invalidate the ETag of /pets/{petId}%s, unless the status is written',
  async (below) => {
    const path = await resources.pet.path()
    const { body, headers } = await api.get(`${path}${below}`)
    const etag = { 'If-Match': headers.get('etag') ?? '' }
    expect((await api.post('/store/orders', { petId: body.id })).status).toBe(201)
    expect((await api.patch(path, { name: 'Max', status: 'sold' }, etag)).status).toBe(412)
    expect((await api.delete(path, etag)).status).toBe(412)
    const edited = await api.patch(path, { name: 'Max' }, etag)
    expect([edited.status, edited.body.name, edited.body.status]).toEqual([200, 'Max', 'pending'])
    expect((await api.put(path, { name: 'Ben', categoryId: body.categoryId }, etag)).status).toBe(412)
  },
)

test('what is done below a webhook or a delivery requires its current ETag, and returns that of the delivery', async () => {
  // Nothing listens there: the first attempt of each delivery fails, which does not make its ETag stale.
  const hook = { url: 'https://shop.example/hooks', events: ['category.*'] }
  const { body: webhook, headers } = await api.post('/webhooks', hook)
  const path = `/webhooks/${webhook.id}`
  const stale = { 'If-Match': headers.get('etag') ?? '' }
  const renamed = await api.patch(path, { description: 'Changed meanwhile' })
  const current = { 'If-Match': renamed.headers.get('etag') ?? '' }
  const range = { from: '2026-11-15T00:00:00Z' }
  for (const [below, body] of [['ping'], ['replay', range]] as const) {
    expect((await api.post(`${path}/${below}`, body, stale)).body.code).toBe('precondition_failed')
    expect((await api.post(`${path}/${below}`, body, current)).status).toBe(202)
  }

  const ping = await api.post(`${path}/ping`)
  const delivery = `${path}/deliveries/${ping.body.id}`
  const redeliver = (etag: string) => api.post(`${delivery}/redeliver`, undefined, { 'If-Match': etag })
  expect((await redeliver(current['If-Match'])).body.code).toBe('precondition_failed')
  const { headers: read } = await api.get(delivery)
  expect((await redeliver(read.get('etag') ?? '')).headers.get('etag')).toMatch(/^"[\w.-]+"$/)
})

test('a list has no ETag, so setting many counts rejects every If-Match but *, and changes nothing', async () => {
  const petId = await api.newPet()
  const { headers } = await api.get(`/store/inventory/${petId}`)
  const set = (ifMatch: string) => api.patch('/store/inventory', [{ petId, quantity: 7 }], { 'If-Match': ifMatch })
  const rejected = await set(headers.get('etag') ?? '')
  expect([rejected.status, rejected.body.message]).toEqual([
    412,
    'A list has no ETag that `If-Match` could name. Leave out `If-Match`.',
  ])
  expect((await api.get(`/store/inventory/${petId}`)).body.quantity).toBe(1)
  expect((await set('*')).status).toBe(200)
})

test('a status set by hand invalidates the ETag of a pet', async () => {
  const path = await resources.pet.path()
  const etag = (await api.get(path)).headers.get('etag') ?? ''
  expect((await api.patch(path, { status: 'pending' })).status).toBe(200)
  expect((await api.patch(path, { name: 'Max' }, { 'If-Match': etag })).status).toBe(412)
})

test('If-None-Match of a write is described only where PUT can create, and no PUT replaces against it', async () => {
  const conditional = service.contract
    .operations()
    .filter(({ method, spec }) => method !== 'GET' && JSON.stringify(spec.parameters).includes('If-None-Match'))
  expect(conditional.map(({ id }) => id)).toEqual(['setInventoryItem'])
  const path = await resources.category.path()
  const rejected = await api.put(path, { name: 'Cats' }, { 'If-None-Match': '*' })
  expect([rejected.status, rejected.body.code]).toEqual([412, 'precondition_failed'])
})
