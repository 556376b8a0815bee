import { afterAll, expect, test } from 'bun:test'
import { patiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'
import { hostileUrls } from './hostile-urls.ts'

// Webhooks as a resource: ownership, validation, and what responses show.

const service = await startService()
afterAll(() => service.stop())
const url = 'https://shop.example/hooks'

test('a webhook is created with a secret that is shown once', async () => {
  const client = await service.newClient()
  const { status, body, headers } = await client.post('/webhooks', { url, events: ['order.*'], description: 'Orders' })
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(`http://petstore.test/webhooks/${body.id}`)
  const { secret, ...webhook } = body
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(webhook).toEqual({
    id: body.id,
    keyId: client.keyId,
    url,
    events: ['order.*'],
    description: 'Orders',
    active: true,
    createdAt: new Date(service.clock.now()).toISOString(),
  })
  const read = await client.get(`/webhooks/${body.id}`)
  expect(read.body).toEqual(webhook)
  expect(read.headers.get('etag')).toBe(headers.get('etag'))
  expect((await client.get('/webhooks')).body).toEqual([webhook])
})

test('a replayed response contains the secret again, and the log never does', async () => {
  const client = await service.newClient()
  const headers = { 'Idempotency-Key': 'make one' }
  const first = await client.post('/webhooks', { url, events: ['*'] }, headers)
  const again = await client.post('/webhooks', { url, events: ['*'] }, headers)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const { id, secret } = first.body
  expect(again.body).toEqual(first.body)
  const rotated = await client.post(`/webhooks/${id}/rotate`, {}, rotation)
  expect(rotated.body.secret).not.toBe(secret)
  const logged = service.logged.join('')
  for (const each of [secret, rotated.body.secret]) expect(logged).not.toContain(each)
})

const rotation = { 'Idempotency-Key': 'rotate it' }

test('a webhook is changed by a merge patch, under If-Match', async () => {
  const client = await service.newClient()
  const made = await client.post('/webhooks', { url, events: ['*'], description: 'One' })
  const path = `/webhooks/${made.body.id}`
  const etag = made.headers.get('etag') ?? ''
  const changes = { events: ['pet.created', 'pet.created'], description: null, active: false }
  const changed = await client.patch(path, changes, { 'If-Match': etag })
  expect([changed.status, changed.body.events, changed.body.active]).toEqual([200, ['pet.created'], false])
  expect(changed.body).not.toHaveProperty('description')
  expect((await client.patch(path, { active: true }, { 'If-Match': etag })).status).toBe(412)
  expect((await client.post(`${path}/rotate`, {}, { 'If-Match': etag })).status).toBe(412)
  expect((await client.delete(path, { 'If-Match': etag })).status).toBe(412)
  expect((await client.delete(path)).status).toBe(204)
  expect((await client.get(path)).body.code).toBe('webhook_not_found')
  expect((await client.get(`${path}/deliveries`)).body.code).toBe('webhook_not_found')
})

test('a URL that is not public is rejected, and the fault names the field', async () => {
  const client = await service.newClient()
  const { body: made } = await client.post('/webhooks', { url, events: ['*'] })
  for (const hostile of hostileUrls(8443)) {
    const responses = [
      await client.post('/webhooks', { url: hostile, events: ['*'] }),
      await client.patch(`/webhooks/${made.id}`, { url: hostile }),
    ]
    for (const { status, body } of responses) {
      const faults = body.errors?.map(({ path }: { path: string }) => path)
      expect([hostile, status, body.code, faults]).toEqual([hostile, 400, 'validation_failed', ['/url']])
    }
  }
  expect((await client.get(`/webhooks/${made.id}`)).body.url).toBe(url)
})

test('an unknown event type is rejected', async () => {
  const client = await service.newClient()
  for (const events of [[], ['order'], ['order.'], ['*.placed'], ['order.eaten'], ['order.placed', 'x.*'], '*', [1]]) {
    expect([events, (await client.post('/webhooks', { url, events })).status]).toEqual([events, 400])
  }
  const { body } = await client.post('/webhooks', { url: 'nonsense', events: ['nonsense'], secret: 'mine' })
  expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['/events/0', '/secret', '/url'])
})

test('a key has at most 20 webhooks, even with concurrent requests', async () => {
  const client = await service.newClient()
  const responses = await Promise.all(
    Array.from({ length: 30 }, () => patiently(() => client.post('/webhooks', { url, events: ['*'], active: false }))),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(20)
  expect(responses.filter(({ body }) => body.code === 'webhook_limit_reached')).toHaveLength(10)
  expect((await client.get('/webhooks?limit=100')).body).toHaveLength(20)
  const other = await service.newClient()
  expect((await other.post('/webhooks', { url, events: ['*'] })).status).toBe(201)
})

test('nothing is sent to an inactive webhook', async () => {
  const client = await service.newClient()
  const { body } = await client.post('/webhooks', { url, events: ['*'], active: false })
  const path = `/webhooks/${body.id}`
  expect((await client.post(`${path}/ping`)).body.code).toBe('webhook_inactive')
  expect((await client.post(`${path}/replay`, { from: '2026-11-15T00:00:00Z' })).body.code).toBe('webhook_inactive')
  await client.patch(path, { active: true })
  const { body: delivery } = await client.post(`${path}/ping`)
  await client.patch(path, { active: false })
  const again = await client.post(`${path}/deliveries/${delivery.id}/redeliver`)
  expect(again.body.code).toBe('webhook_inactive')
})

test('a delivery of another webhook is not found', async () => {
  const client = await service.newClient()
  const [one, two] = [
    (await client.post('/webhooks', { url, events: ['*'] })).body.id,
    (await client.post('/webhooks', { url, events: ['*'] })).body.id,
  ]
  const { status, body } = await client.post(`/webhooks/${one}/ping`)
  expect([status, body.state, body.type]).toEqual([202, 'pending', 'webhook.ping'])
  const elsewhere = await client.post(`/webhooks/${two}/deliveries/${body.id}/redeliver`)
  expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'delivery_not_found'])
  expect((await client.post(`/webhooks/${one}/deliveries/${body.id}/redeliver`)).status).toBe(202)
})

test('webhooks require their scope', async () => {
  const reader = await service.newClient({ scopes: ['pets:read'] })
  expect((await reader.get('/webhooks')).body.code).toBe('insufficient_scope')
})
