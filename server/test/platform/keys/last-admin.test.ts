import { afterAll, beforeEach, expect, test } from 'bun:test'
import { patiently } from '../../harness/patiently.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'

// Each test has its own service, because which key is the last one depends on all keys.
let service: Service
let started: Service[] = []
let adminId: number
beforeEach(async () => {
  service = await startService()
  started.push(service)
  adminId = (await service.admin.get('/keys')).body[0].id
})
afterAll(async () => {
  for (const each of started) await each.stop()
  started = []
})

const isLast = async (attempt: Promise<{ status: number; body: { code: string } }>) => {
  const { status, body } = await attempt
  expect([status, body?.code]).toEqual([409, 'last_admin_key'])
}

test('the last key that manages keys can neither revoke nor demote itself', async () => {
  const path = `/keys/${adminId}`
  await isLast(service.admin.delete(path))
  await isLast(service.admin.patch(path, { preset: 'staff' }))
  await isLast(service.admin.patch(path, { scopes: ['pets:read'] }))
  expect((await service.admin.patch(path, { name: 'Still in charge' })).status).toBe(200)
  expect((await service.admin.patch(path, { scopes: ['keys:manage'] })).status).toBe(200)
})

test('nor can it be given an expiry unless another key lasts as long', async () => {
  const path = `/keys/${adminId}`
  const inSeconds = (seconds: number) => new Date(service.clock.now() + seconds * 1000).toISOString()
  await isLast(service.admin.patch(path, { expiresAt: inSeconds(60) }))
  const second = await service.newClient({ preset: 'admin', expiresAt: inSeconds(100) })
  await isLast(service.admin.patch(path, { expiresAt: inSeconds(60) }))
  expect((await service.admin.patch(`/keys/${second.keyId}`, { expiresAt: null })).status).toBe(200)
  expect((await service.admin.patch(path, { expiresAt: inSeconds(60) })).status).toBe(200)
  await isLast(second.patch(`/keys/${second.keyId}`, { expiresAt: inSeconds(80) }))
  const client = await service.newClient()
  expect((await second.patch(`/keys/${client.keyId}`, { expiresAt: inSeconds(500) })).status).toBe(200)
})

test('a key that expires cannot replace one that does not', async () => {
  const brief = await service.newClient({
    preset: 'admin',
    expiresAt: new Date(service.clock.now() + 100_000).toISOString(),
  })
  await isLast(brief.delete(`/keys/${adminId}`))
  await isLast(brief.patch(`/keys/${adminId}`, { preset: 'staff' }))
  expect((await service.admin.delete(`/keys/${brief.keyId}`)).status).toBe(204)
})

test('with a second one it can, and then the second is the last one', async () => {
  const second = await service.newClient({ preset: 'admin' })
  expect((await service.admin.delete(`/keys/${adminId}`)).status).toBe(204)
  await isLast(second.delete(`/keys/${second.keyId}`))
})

test('a second one that has expired or was revoked does not count', async () => {
  const brief = await service.newClient({
    preset: 'admin',
    expiresAt: new Date(service.clock.now() + 1_000).toISOString(),
  })
  const revoked = await service.newClient({ preset: 'admin' })
  await service.admin.delete(`/keys/${revoked.keyId}`)
  service.clock.advance(1_000)
  await isLast(service.admin.delete(`/keys/${adminId}`))
  expect((await service.admin.delete(`/keys/${brief.keyId}`)).status).toBe(204)
})

test('two that revoke each other or themselves concurrently leave one', async () => {
  const second = await service.newClient({ preset: 'admin' })
  const attempts = await Promise.all(
    [
      () => service.admin.delete(`/keys/${adminId}`),
      () => second.delete(`/keys/${second.keyId}`),
      () => service.admin.patch(`/keys/${second.keyId}`, { preset: 'client' }),
      () => second.patch(`/keys/${adminId}`, { preset: 'client' }),
    ].map(patiently),
  )
  expect(attempts.every(({ status }) => [200, 204, 401, 403, 404, 409].includes(status))).toBe(true)
  const left: Client[] = []
  for (const client of [service.admin, second]) if ((await client.get('/keys')).status === 200) left.push(client)
  expect(left).toHaveLength(1)
})

test.each([0, 1])(
  'rotated with %i s of grace, the only one keeps its old secret for 15 minutes, in case the response is lost',
  async (graceSeconds) => {
    const rotated = await service.admin.post(`/keys/${adminId}/rotate`, { graceSeconds })
    expect(rotated.status).toBe(200)
    service.clock.advance(15 * 60_000 - 1)
    expect((await service.admin.get('/keys')).status).toBe(200)
    service.clock.advance(1)
    expect((await service.admin.get('/keys')).body.code).toBe('invalid_api_key')
    expect((await service.as(rotated.body.secret).get('/keys')).status).toBe(200)
  },
)

test('a longer grace period applies as requested; with another lasting key, none is added', async () => {
  const rotate = (client: Client, graceSeconds: number) => client.post(`/keys/${adminId}/rotate`, { graceSeconds })
  const soon = new Date(service.clock.now() + 1_000).toISOString()
  await service.newClient({ preset: 'admin', expiresAt: soon })
  service.clock.advance(1_000)
  const second = service.as((await rotate(service.admin, 3_600)).body.secret)
  service.clock.advance(3_600_000 - 1)
  expect((await service.admin.get('/keys')).status).toBe(200)
  service.clock.advance(1)
  expect((await service.admin.get('/keys')).status).toBe(401)

  await second.post('/keys', { name: 'Another', plan: 'free', preset: 'admin' })
  const third = service.as((await rotate(second, 0)).body.secret)
  expect((await second.get('/keys')).status).toBe(401)
  expect((await third.get('/keys')).status).toBe(200)
})
