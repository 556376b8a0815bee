import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

test('a patch changes the given fields only', async () => {
  const client = await service.newClient({ plan: 'free', preset: 'client' })
  const path = `/keys/${client.keyId}`
  const before = (await service.admin.get(path)).body
  const renamed = await service.admin.patch(path, { name: 'New name' })
  expect(renamed.status).toBe(200)
  expect(renamed.body).toEqual({ ...before, name: 'New name' })
  expect((await service.admin.patch(path, {})).body).toEqual(renamed.body)
  const merged = await service.admin.patch(path, '{"name":"Merged"}', {
    'Content-Type': 'application/merge-patch+json',
  })
  expect(merged.body.name).toBe('Merged')
})

test('changed scopes take effect immediately', async () => {
  const client = await service.newClient({ preset: 'reader' })
  const path = `/keys/${client.keyId}`
  expect((await client.get('/store/orders')).body.code).toBe('insufficient_scope')
  expect((await service.admin.patch(path, { preset: 'client' })).body.scopes).toContain('orders:read')
  expect((await client.get('/store/orders')).status).toBe(200)
  await service.admin.patch(path, { scopes: ['pets:read'] })
  expect((await client.get('/store/orders')).body.code).toBe('insufficient_scope')
  expect((await service.admin.patch(path, { scopes: ['pets:read'], preset: 'client' })).status).toBe(400)
})

test('an expiry can be set, changed and removed', async () => {
  const client = await service.newClient()
  const path = `/keys/${client.keyId}`
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  expect((await service.admin.patch(path, { expiresAt: at(0) })).body.code).toBe('validation_failed')
  expect((await service.admin.patch(path, { expiresAt: at(1_000) })).body.expiresAt).toBe(at(1_000))
  service.clock.advance(1_000)
  expect((await client.get('/pets')).body.code).toBe('invalid_api_key')
  expect((await service.admin.patch(path, { name: 'Still expired' })).body.expiresAt).toBe(at(0))
  expect((await service.admin.patch(path, { expiresAt: null })).body.expiresAt).toBeUndefined()
  expect((await client.get('/pets')).status).toBe(200)
})

test('a key can change plans; enterprise requires limits, the others reject them', async () => {
  const client = await service.newClient({ plan: 'free' })
  const path = `/keys/${client.keyId}`
  const patch = async (body: object) => {
    const { status, body: response } = await service.admin.patch(path, body)
    return status === 200 ? { plan: response.plan, ...response.limits } : response.errors[0].path
  }
  expect(await patch({ limits: { perMinute: 1, perDay: 1 } })).toBe('/limits')
  expect(await patch({ plan: 'pro' })).toEqual({ plan: 'pro', perMinute: 300, perDay: 10_000 })
  expect(await patch({ plan: 'enterprise' })).toBe('/limits')
  expect(await patch({ plan: 'enterprise', limits: { perMinute: 7 } })).toBe('/limits/perDay')
  const own = { perMinute: 7, perDay: 70 }
  expect(await patch({ plan: 'enterprise', limits: own })).toEqual({ plan: 'enterprise', ...own })
  expect(await patch({ name: 'Keeps its limits' })).toEqual({ plan: 'enterprise', ...own })
  expect(await patch({ limits: { perMinute: 8, perDay: 80 } })).toMatchObject({ perMinute: 8, perDay: 80 })
  expect(await patch({ limits: { perMinute: 9 } })).toMatchObject({ perMinute: 9, perDay: 80 })
  expect(await patch({ limits: {} })).toMatchObject({ perMinute: 9, perDay: 80 })
  expect(await patch({ plan: 'business', limits: own })).toBe('/limits')
  expect(await patch({ plan: 'business' })).toEqual({ plan: 'business', perMinute: 1_000, perDay: 100_000 })
})

test('an invalid patch changes nothing', async () => {
  const client = await service.newClient()
  const path = `/keys/${client.keyId}`
  const before = (await service.admin.get(path)).body
  for (const body of [{ name: null }, { name: ' ' }, { plan: null }, { secret: 'x' }, { id: 1 }, { prefix: 'ps_' }]) {
    expect((await service.admin.patch(path, body)).status).toBe(400)
  }
  expect((await service.admin.get(path)).body).toEqual(before)
})

test('keys have an ETag: 304 while nothing changed, 412 after a change', async () => {
  const client = await service.newClient({ plan: 'free' })
  const path = `/keys/${client.keyId}`
  const read = await service.admin.get(path)
  const etag = read.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[^"]+"$/)
  const unchanged = await service.admin.get(path, { 'If-None-Match': etag })
  expect([unchanged.status, unchanged.text]).toEqual([304, ''])

  const changed = await service.admin.patch(path, { name: 'Second' }, { 'If-Match': etag })
  expect(changed.status).toBe(200)
  const next = changed.headers.get('etag') ?? ''
  expect((await service.admin.get(path, { 'If-None-Match': next })).status).toBe(304)
  expect((await service.admin.patch(path, { name: 'Third' }, { 'If-Match': etag })).body.code).toBe(
    'precondition_failed',
  )
  expect((await service.admin.delete(path, { 'If-Match': etag })).body.code).toBe('precondition_failed')
  expect((await service.admin.get(path)).body.name).toBe('Second')
  expect((await service.admin.delete(path, { 'If-Match': next })).status).toBe(204)
})

test('a key used meanwhile can still be changed with the ETag that was read', async () => {
  const client = await service.newClient({ plan: 'free' })
  const path = `/keys/${client.keyId}`
  const etag = (await service.admin.get(path)).headers.get('etag') ?? ''
  expect((await client.get('/pets')).status).toBe(200)
  await service.context.usage.flush()
  const used = await service.admin.get(path, { 'If-None-Match': etag })
  expect([used.status, typeof used.body.lastUsedAt]).toEqual([200, 'string'])
  expect((await service.admin.patch(path, { name: 'Second' }, { 'If-Match': etag })).status).toBe(200)
  expect((await service.admin.patch(path, { name: 'Third' }, { 'If-Match': etag })).status).toBe(412)
})

test('an unknown key is not found by any operation', async () => {
  for (const id of ['987654321', '9223372036854775807', '-1', '0']) {
    const responses = [
      await service.admin.get(`/keys/${id}`),
      await service.admin.patch(`/keys/${id}`, { name: 'Unknown' }),
      await service.admin.delete(`/keys/${id}`),
      await service.admin.post(`/keys/${id}/rotate`),
      await service.admin.delete(`/keys/${id}/ban`),
    ]
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual(
      responses.map(() => [404, 'key_not_found']),
    )
  }
  expect((await service.admin.get('/keys/abc')).status).toBe(400)
})

test('the list is ordered by id, and pages neither skip nor repeat a key', async () => {
  const ids: number[] = []
  for (let count = 0; count < 5; count++) ids.push((await service.newClient()).keyId)
  const seen: number[] = []
  for (let path: string | undefined = '/keys?limit=2'; path; ) {
    const page = await service.admin.get(path)
    expect(page.body.length).toBeLessThanOrEqual(2)
    seen.push(...page.body.map(({ id }: { id: number }) => id))
    path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.filter((id) => ids.includes(id))).toEqual(ids)
  expect((await service.admin.get('/keys?cursor=nonsense')).body.code).toBe('invalid_cursor')
})

test('lastUsedAt is written at most once a minute', async () => {
  service.clock.set(Math.ceil((service.clock.now() + 1) / 60_000) * 60_000)
  const client = await service.newClient()
  const start = service.clock.now()
  const lastUsed = async () => {
    await client.get('/pets')
    await service.context.usage.flush()
    const { lastUsedAt } = (await service.admin.get(`/keys/${client.keyId}`)).body
    return (Date.parse(lastUsedAt) - start) / 1000
  }
  expect((await service.admin.get(`/keys/${client.keyId}`)).body.lastUsedAt).toBeUndefined()
  expect(await lastUsed()).toBe(0)
  service.clock.set(start + 59_000)
  expect(await lastUsed()).toBe(0)
  await service.restart()
  expect(await lastUsed()).toBe(0)
  service.clock.set(start + 60_000)
  expect(await lastUsed()).toBe(60)
  service.clock.set(start + 150_000)
  expect(await lastUsed()).toBe(150)
})
