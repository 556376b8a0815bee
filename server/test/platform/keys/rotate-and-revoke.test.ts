import { afterAll, expect, test } from 'bun:test'
import { forgetOldSecrets } from '../../../src/platform/keys/store.ts'
import { patiently } from '../../harness/patiently.ts'
import { type Client, startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

const works = async (secret: string | undefined) => (await service.as(secret).get('/pets')).status === 200
const rotate = (client: Client, body?: object, headers = {}) =>
  service.admin.post(`/keys/${client.keyId}/rotate`, body, headers)

test('a rotated key keeps its id and all fields; the old secret works for a day', async () => {
  const client = await service.newClient()
  const before = (await service.admin.get(`/keys/${client.keyId}`)).body
  const { status, body, headers } = await rotate(client)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({ ...before, prefix: body.secret.slice(0, 8), secret: body.secret })
  expect(body.secret).not.toBe(client.secret)
  expect([await works(client.secret), await works(body.secret)]).toEqual([true, true])

  service.clock.advance(86_400_000 - 1)
  expect(await works(client.secret)).toBe(true)
  service.clock.advance(1)
  expect([await works(client.secret), await works(body.secret)]).toEqual([false, true])
})

// The same on PostgreSQL, where the trigger would have to be written differently.
test.if(process.env.TEST_ENGINE !== 'postgres')(
  'a rotation that cannot end the old secret gives no new one',
  async () => {
    const client = await service.newClient()
    const before = (await service.admin.get(`/keys/${client.keyId}`)).body
    const change = (statement: string) => service.context.db.transaction((tx) => tx.query(statement))
    await change("CREATE TRIGGER reject BEFORE UPDATE ON api_key_secrets BEGIN SELECT RAISE(ABORT, 'no'); END")
    const { status } = await rotate(client)
    await change('DROP TRIGGER reject')
    expect(status).toBe(500)
    expect((await service.admin.get(`/keys/${client.keyId}`)).body).toEqual(before)
  },
)

test('both secrets are the same key: they share limits and orders', async () => {
  const client = await service.newClient({ plan: 'free' })
  const other = service.as((await rotate(client)).body.secret)
  await client.get('/pets')
  expect((await other.get('/pets')).headers.get('x-ratelimit-remaining')).toBe('58')
  const petId = await service.admin.newPet()
  const { body } = await client.post('/store/orders', { petId })
  expect((await other.get(`/store/orders/${body.id}`)).status).toBe(200)
})

test('a grace period of zero ends the old secret immediately', async () => {
  const client = await service.newClient()
  expect(await works(client.secret)).toBe(true)
  const { body } = await rotate(client, { graceSeconds: 0 })
  expect([await works(client.secret), await works(body.secret)]).toEqual([false, true])
})

test('a grace period ends on time, and a later rotation can shorten but not extend it', async () => {
  const client = await service.newClient()
  const second = (await rotate(client, { graceSeconds: 60 })).body.secret
  const third = (await rotate(client, { graceSeconds: 3_600 })).body.secret
  service.clock.advance(60_000)
  expect([await works(client.secret), await works(second), await works(third)]).toEqual([false, true, true])
  const fourth = (await rotate(client, { graceSeconds: 5 })).body.secret
  service.clock.advance(5_000)
  expect([await works(second), await works(third), await works(fourth)]).toEqual([false, false, true])
})

test('a secret is deleted after its grace period; working secrets are kept', async () => {
  const client = await service.newClient()
  const secrets = [client.secret, (await rotate(client, { graceSeconds: 60 })).body.secret]
  secrets.push((await rotate(client, { graceSeconds: 120 })).body.secret)
  service.clock.advance(60_000)
  const { db } = service.context
  await forgetOldSecrets(db, service.clock.now())
  const rows = await db.query('SELECT hash FROM api_key_secrets WHERE key_id = $1', [client.keyId])
  expect(rows).toHaveLength(2)
  expect(await Promise.all(secrets.map(works))).toEqual([false, true, true])
})

test('a grace period is a whole number of seconds up to 30 days', async () => {
  const client = await service.newClient()
  for (const graceSeconds of [-1, 1.5, '60', 30 * 86_400 + 1, null]) {
    expect((await rotate(client, { graceSeconds })).body.code).toBe('validation_failed')
  }
  expect((await rotate(client, { grace: 1 })).status).toBe(400)
  expect((await rotate(client, { graceSeconds: 30 * 86_400 })).status).toBe(200)
})

test('a repeated rotation rotates once and shows the secret again', async () => {
  const client = await service.newClient()
  const headers = { 'Idempotency-Key': 'rotate-1' }
  const first = await rotate(client, { graceSeconds: 0 }, headers)
  const again = await rotate(client, { graceSeconds: 0 }, headers)
  const { secret } = again.body
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(again.body).toEqual(first.body)
  expect(await works(secret)).toBe(true)
  expect((await rotate(client, { graceSeconds: 1 }, headers)).body.code).toBe('idempotency_key_reused')
  expect(await works(secret)).toBe(true)
})

test('one rotation at a time for one Idempotency-Key', async () => {
  const client = await service.newClient()
  const headers = { 'Idempotency-Key': 'rotate-2' }
  const responses = await Promise.all(Array.from({ length: 6 }, () => patiently(() => rotate(client, {}, headers))))
  const done = responses.filter(({ status }) => status === 200)
  expect(new Set(done.map(({ body }) => body.secret)).size).toBe(1)
  const others = responses.filter(({ status }) => status !== 200)
  expect(others.filter(({ body }) => body.code !== 'idempotency_in_progress')).toEqual([])
})

test('a rejection is replayed unchanged, and marked as a replay', async () => {
  const send = () => service.admin.post('/keys/987654321/rotate', undefined, { 'Idempotency-Key': 'rotate-3' })
  const [first, again] = [await send(), await send()]
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([404, null])
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([404, 'true'])
})

test('a revoked key stops working immediately with all its secrets, can still be read, and cannot be changed', async () => {
  const client = await service.newClient()
  const { secret } = (await rotate(client)).body
  expect([await works(client.secret), await works(secret)]).toEqual([true, true])
  const { lastUsedAt, ...before } = (await service.admin.get(`/keys/${client.keyId}`)).body
  expect((await service.admin.delete(`/keys/${client.keyId}`)).status).toBe(204)
  expect([await works(client.secret), await works(secret)]).toEqual([false, false])
  const revokedAt = new Date(service.clock.now()).toISOString()
  const read = await service.admin.get(`/keys/${client.keyId}`)
  expect([read.status, read.body]).toEqual([200, { ...read.body, ...before, revokedAt }])
  expect((await service.admin.get(`/usage?keyId=${client.keyId}`)).status).toBe(200)
  expect((await service.admin.patch(`/keys/${client.keyId}`, { name: 'Back' })).body.code).toBe('key_not_found')
  expect((await service.admin.delete(`/keys/${client.keyId}/ban`)).body.code).toBe('key_not_found')
  expect((await service.admin.delete(`/keys/${client.keyId}`)).body.code).toBe('key_not_found')
  expect((await rotate(client)).body.code).toBe('key_not_found')
})

test('a key revoked while it sends requests is rejected from then on', async () => {
  const client = await service.newClient()
  const revoked = service.admin.delete(`/keys/${client.keyId}`)
  await Promise.all(Array.from({ length: 32 }, () => client.get('/pets')))
  await revoked
  expect((await client.get('/pets')).body.code).toBe('invalid_api_key')
})

test('the orders of a revoked key are kept', async () => {
  const client = await service.newClient()
  const petId = await service.admin.newPet()
  const { body } = await client.post('/store/orders', { petId })
  await service.admin.delete(`/keys/${client.keyId}`)
  expect((await service.admin.get(`/store/orders/${body.id}`)).body).toEqual({ ...body, keyId: client.keyId })
})
