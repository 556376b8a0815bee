import { afterAll, expect, test } from 'bun:test'
import { patiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** CRC32 (IEEE 802.3) in base 62, bit by bit as in the standard and without code of the service. */
function checksum(body: string): string {
  let register = 0xffffffff
  for (const character of body) {
    for (let bit = 0; bit < 8; bit++) {
      const feedback = (register ^ (character.charCodeAt(0) >> bit)) & 1
      register = (register >>> 1) ^ (feedback ? 0xedb88320 : 0)
    }
  }
  let rest = BigInt((register ^ 0xffffffff) >>> 0)
  let text = ''
  for (let place = 0; place < 6; place++) {
    text = digits[Number(rest % 62n)] + text
    rest /= 62n
  }
  return text
}

const presets = {
  reader: ['pets:read', 'inventory:read'],
  client: ['pets:read', 'inventory:read', 'orders:read', 'orders:write', 'webhooks:manage'],
}

test('the ETag of a new or rotated key is the one a read returns', async () => {
  const made = await service.admin.post('/keys', { name: 'Tagged', plan: 'free', preset: 'reader' })
  const path = `/keys/${made.body.id}`
  expect(made.headers.get('etag')).toBe((await service.admin.get(path)).headers.get('etag'))
  const rotated = await service.admin.post(`${path}/rotate`)
  expect(rotated.headers.get('etag')).toBe((await service.admin.get(path)).headers.get('etag'))
})

test('the checksum of this test is CRC32: it has the check value of the standard, cbf43926', () => {
  expect(checksum('123456789')).toBe('3jZRME')
})

test('a plan can be written in any letter case, and is shown in lower case', async () => {
  const made = await service.admin.post('/keys', { name: 'App', plan: 'Free', preset: 'reader' })
  expect(made.body).toMatchObject({ plan: 'free', limits: { perMinute: 60, perDay: 1_000 } })
  const path = `/keys/${made.body.id}`
  expect((await service.admin.patch(path, { plan: 'PRO' })).body).toMatchObject({
    plan: 'pro',
    limits: { perDay: 10_000 },
  })
  expect((await service.admin.get(path)).body.plan).toBe('pro')
  const limits = { perMinute: 5, perDay: 50 }
  const agreed = await service.admin.post('/keys', { name: 'App', plan: 'Enterprise', preset: 'reader', limits })
  expect(agreed.body).toMatchObject({ plan: 'enterprise', limits })
  for (const plan of ['Gold', 'free ', 1, null, undefined])
    expect((await service.admin.post('/keys', { name: 'App', plan, preset: 'reader' })).body.errors).toMatchObject([
      { in: 'body', path: '/plan' },
    ])
})

test('a new key is returned complete, with a secret in the documented format', async () => {
  const { status, body, headers } = await service.admin.post('/keys', { name: 'App', plan: 'free', preset: 'client' })
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(`http://petstore.test/keys/${body.id}`)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    id: body.id,
    name: 'App',
    prefix: body.secret.slice(0, 8),
    plan: 'free',
    limits: { perMinute: 60, perDay: 1_000 },
    scopes: presets.client,
    createdAt: new Date(service.clock.now()).toISOString(),
    secret: body.secret,
  })
  expect(body.secret).toMatch(/^ps_[0-9A-Za-z]{36}$/)
  expect(body.secret.slice(33)).toBe(checksum(body.secret.slice(3, 33)))
  expect((await service.as(body.secret).get('/pets')).status).toBe(200)
})

test('200 secrets: each has its checksum, all differ, every digit occurs', async () => {
  const secrets = await Promise.all(Array.from({ length: 200 }, async () => (await service.newClient()).secret ?? ''))
  expect(secrets.every((secret) => secret.slice(33) === checksum(secret.slice(3, 33)))).toBe(true)
  expect(new Set(secrets).size).toBe(200)
  expect(new Set(secrets.flatMap((secret) => [...secret.slice(3, 33)])).size).toBe(62)
})

test('the secret is shown once: neither the key nor the list contains it', async () => {
  const { body } = await service.admin.post('/keys', { name: 'Once', plan: 'pro', preset: 'reader' })
  const { secret, ...key } = body
  expect((await service.admin.get(`/keys/${body.id}`)).body).toEqual(key)
  const found = []
  for (let path: string | undefined = '/keys?limit=100'; path; ) {
    const page = await service.admin.get(path)
    expect(page.text).not.toContain(secret)
    found.push(...page.body.filter(({ id }: { id: number }) => id === body.id))
    path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(found).toEqual([key])
})

test('each plan has its limits', async () => {
  for (const [plan, limits] of [
    ['free', { perMinute: 60, perDay: 1_000 }],
    ['pro', { perMinute: 300, perDay: 10_000 }],
    ['business', { perMinute: 1_000, perDay: 100_000 }],
  ] as const) {
    const key = { name: plan, plan, preset: 'reader' }
    expect((await service.admin.post('/keys', key)).body.limits).toEqual(limits)
    const rejected = await service.admin.post('/keys', { ...key, limits })
    expect([rejected.body.code, rejected.body.errors[0].path]).toEqual(['validation_failed', '/limits'])
  }
})

test('enterprise requires both limits', async () => {
  const key = { name: 'Large', plan: 'enterprise', preset: 'reader' }
  const limits = { perMinute: 123, perDay: 45_678 }
  expect((await service.admin.post('/keys', { ...key, limits })).body.limits).toEqual(limits)
  for (const wrong of [
    undefined,
    {},
    { perMinute: 1 },
    { perDay: 1 },
    { perMinute: 0, perDay: 1 },
    { perMinute: 1, perDay: -1 },
    { perMinute: 1.5, perDay: 2 },
    { ...limits, perHour: 3 },
  ]) {
    expect((await service.admin.post('/keys', { ...key, limits: wrong })).body.code).toBe('validation_failed')
  }
})

test('exactly one of preset and scopes is required; a scope given twice counts once', async () => {
  const key = { name: 'Scoped', plan: 'free' }
  const scopes = ['pets:read', 'orders:read']
  expect((await service.admin.post('/keys', { ...key, scopes })).body.scopes).toEqual(scopes)
  expect((await service.admin.post('/keys', { ...key, scopes: [...scopes, 'pets:read'] })).body.scopes).toEqual(scopes)
  expect((await service.admin.post('/keys', { ...key, preset: 'reader' })).body.scopes).toEqual(presets.reader)
  for (const wrong of [{}, { preset: 'reader', scopes }, { scopes: [] }, { scopes: ['pets'] }, { preset: 'root' }]) {
    expect((await service.admin.post('/keys', { ...key, ...wrong })).body.code).toBe('validation_failed')
  }
})

test('an expiry must be in the future; a key works until just before it', async () => {
  const key = { name: 'Brief', plan: 'free', preset: 'reader' }
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  for (const expiresAt of [at(-1), at(0), 'soon', null]) {
    expect((await service.admin.post('/keys', { ...key, expiresAt })).body.code).toBe('validation_failed')
  }
  const { body } = await service.admin.post('/keys', { ...key, expiresAt: at(5_000) })
  expect(body.expiresAt).toBe(at(5_000))
  service.clock.advance(4_999)
  expect((await service.as(body.secret).get('/pets')).status).toBe(200)
  service.clock.advance(1)
  expect((await service.as(body.secret).get('/pets')).body.code).toBe('invalid_api_key')
})

test('a repeated POST creates one key and shows its secret again', async () => {
  const key = { name: 'Repeated', plan: 'free', preset: 'reader' }
  const headers = { 'Idempotency-Key': 'create-1' }
  const first = await service.admin.post('/keys', key, headers)
  const again = await service.admin.post('/keys', key, headers)
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
  expect(again.body).toEqual(first.body)
  expect((await service.admin.post('/keys', { ...key, name: 'Other' }, headers)).body.code).toBe(
    'idempotency_key_reused',
  )
  expect((await service.as(again.body.secret).get('/pets')).status).toBe(200)
})

test('concurrent requests with the same Idempotency-Key create one key', async () => {
  const name = 'Both at once'
  const headers = { 'Idempotency-Key': 'create-2' }
  const responses = await Promise.all(
    Array.from({ length: 8 }, () =>
      patiently(() => service.admin.post('/keys', { name, plan: 'free', preset: 'reader' }, headers)),
    ),
  )
  const done = responses.filter(({ status }) => status === 201)
  expect(new Set(done.map(({ body }) => body.secret)).size).toBe(1)
  const others = responses.filter(({ status }) => status !== 201)
  expect(others.filter(({ body }) => body.code !== 'idempotency_in_progress')).toEqual([])
  expect(await service.context.db.query('SELECT id FROM api_keys WHERE name = $1', [name])).toHaveLength(1)
})

test('a key that manages keys may grant any scope and any limits, even those it does not have', async () => {
  const manager = await service.newClient({ plan: 'free', scopes: ['keys:manage'] })
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const wanted = { name: 'More than its maker', plan: 'enterprise', preset: 'admin', limits }
  const { status, body } = await manager.post('/keys', wanted)
  expect([status, body.limits]).toEqual([201, limits])
  expect((await service.as(body.secret).get('/store/orders')).status).toBe(200)
})
