import { afterAll, expect, test } from 'bun:test'
import { type Client, startService } from '../../harness/service.ts'
import { startRequest } from './unfinished-request.ts'

// A body may take long to arrive. What the key may do is checked again when it is complete.

const service = await startService()
afterAll(() => service.stop())

const keyPath = ({ keyId }: Client) => `/keys/${keyId}`

const ends: Record<string, { end: (client: Client) => Promise<unknown>; expected: [status: number, code: string] }> = {
  'is revoked': {
    end: (client) => service.admin.delete(keyPath(client)),
    expected: [401, 'invalid_api_key'],
  },
  'is rotated without grace': {
    end: (client) => service.admin.post(`${keyPath(client)}/rotate`, { graceSeconds: 0 }),
    expected: [401, 'invalid_api_key'],
  },
  expires: {
    end: async (client) => {
      const expiresAt = new Date(service.clock.now() + 1_000).toISOString()
      await service.admin.patch(keyPath(client), { expiresAt })
      service.clock.advance(1_000)
    },
    expected: [401, 'invalid_api_key'],
  },
  'loses the scope': {
    end: (client) => service.admin.patch(keyPath(client), { scopes: ['pets:read'] }),
    expected: [403, 'insufficient_scope'],
  },
}

const writes = {
  '/keys': () => ({ name: crypto.randomUUID(), plan: 'free', preset: 'admin' }),
  '/categories': () => ({ name: crypto.randomUUID() }),
}

const cases = Object.keys(ends).flatMap((what) =>
  Object.entries(writes).flatMap(([path, body]) =>
    [{}, { 'Idempotency-Key': what }].map((headers) => ({ what, path, body, headers })),
  ),
)

test.each(cases)('a key that $what while its body for $path arrives is rejected', async (each) => {
  const { end, expected } = ends[each.what] as (typeof ends)[string]
  const client = await service.newClient({ preset: 'admin' })
  const body = each.body()
  const request = await startRequest(service, client, { path: each.path, body, headers: each.headers })
  await end(client)
  const response = await request.finish()
  expect([response.status, response.body.code]).toEqual(expected)
  const table = each.path === '/keys' ? 'api_keys' : 'categories'
  expect(await service.context.db.query(`SELECT id FROM ${table} WHERE name = $1`, [body.name])).toEqual([])
})

test('a key that is revoked while a repeated batch arrives does not get the stored response', async () => {
  const client = await service.newClient({ preset: 'staff' })
  const batch = [{ name: 'Rex', categoryId: await service.admin.newCategory() }]
  const headers = { 'Idempotency-Key': 'once' }
  expect((await client.post('/pets/batch', batch, headers)).status).toBe(201)
  const request = await startRequest(service, client, { path: '/pets/batch', body: batch, headers })
  await service.admin.delete(keyPath(client))
  expect((await request.finish()).body.code).toBe('invalid_api_key')
})

test('a key that changes while its body arrives, but is still allowed, is served', async () => {
  const client = await service.newClient({ preset: 'admin' })
  for (const [path, body] of Object.entries(writes)) {
    const request = await startRequest(service, client, { path, body: body() })
    await service.admin.patch(keyPath(client), { name: 'Renamed' })
    await service.admin.post(`${keyPath(client)}/rotate`, { graceSeconds: 60 })
    expect((await request.finish()).status).toBe(201)
  }
})

test('removing a scope that widens what a key sees takes effect immediately', async () => {
  const owner = await service.newClient({ preset: 'client' })
  const staff = await service.newClient({ preset: 'staff' })
  const { body: order } = await owner.post('/store/orders', { petId: await service.admin.newPet() })
  const path = `/store/orders/${order.id}`
  const request = await startRequest(service, staff, { method: 'PATCH', path, body: { complete: true } })
  await service.admin.patch(keyPath(staff), { scopes: ['orders:read', 'orders:write'] })
  expect((await request.finish()).status).toBe(404)
  expect((await owner.get(path)).body.complete).toBe(false)
})

test('a key manager is read in the transaction, even before its revocation is announced', async () => {
  const client = await service.newClient({ preset: 'admin' })
  expect((await client.get('/keys')).status).toBe(200)
  // As another node would do it, before its notification arrives.
  await service.context.db.transaction((tx) =>
    tx.query('UPDATE api_keys SET revoked_at = $2 WHERE id = $1', [client.keyId, service.clock.now()]),
  )
  const body = { name: 'Heir', plan: 'free', preset: 'admin' }
  expect((await client.post('/keys', body)).body.code).toBe('invalid_api_key')
  expect((await client.patch('/keys/1', { name: 'Taken over' })).body.code).toBe('invalid_api_key')
})
