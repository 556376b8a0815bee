import { afterAll, expect, test } from 'bun:test'
import { deliveriesOnce, newWebhook, startShop } from './shop.ts'

// What a key that manages keys can do with other keys' webhooks.

const service = await startShop()
afterAll(() => service.stop())
const url = 'https://shop.example/hooks'

test('a key that manages keys lists and reads the webhooks of every key, or of one', async () => {
  const [alice, bob] = [await service.newClient(), await service.newClient()]
  const manager = await service.newClient({ scopes: ['keys:manage'] })
  const [one, two] = [await newWebhook(alice, url), await newWebhook(bob, url)]
  const idsAt = async (client: typeof alice, path: string) =>
    (await client.get(path)).body.map(({ id, keyId }: { id: number; keyId: number }) => [id, keyId])
  expect(await idsAt(manager, '/webhooks?limit=100')).toEqual([
    [one.id, alice.keyId],
    [two.id, bob.keyId],
  ])
  expect(await idsAt(manager, `/webhooks?keyId=${bob.keyId}`)).toEqual([[two.id, bob.keyId]])
  expect((await manager.get(one.path)).body).toEqual((await alice.get(one.path)).body)
  // Other keys see only their own.
  expect(await idsAt(alice, '/webhooks')).toEqual([[one.id, alice.keyId]])
  expect(await idsAt(alice, `/webhooks?keyId=${alice.keyId}`)).toEqual([[one.id, alice.keyId]])
  expect((await alice.get(`/webhooks?keyId=${bob.keyId}`)).body.code).toBe('insufficient_scope')
  expect((await alice.get(two.path)).body.code).toBe('webhook_not_found')
  expect((await alice.patch(two.path, { active: false })).body.code).toBe('webhook_not_found')
})

test('it can deactivate the webhook of another key and do nothing else with it; an event tells the owner and the managers', async () => {
  const owner = await service.newClient()
  const manager = await service.newClient({ scopes: ['keys:manage', 'webhooks:manage'] })
  const webhook = await newWebhook(owner, url)
  const told = await newWebhook(owner, url, { events: ['webhook.disabled'] })
  for (const changes of [{ url }, { events: ['*'] }, { active: true }, { active: false, description: 'Mine' }, {}]) {
    expect((await manager.patch(webhook.path, changes)).body.code).toBe('insufficient_scope')
  }
  for (const below of ['/ping', '/rotate', '/replay']) {
    const body = below === '/replay' ? { from: '2026-11-15T00:00:00Z' } : {}
    expect((await manager.post(webhook.path + below, below === '/ping' ? undefined : body)).status).toBe(404)
  }
  expect((await manager.delete(webhook.path)).body.code).toBe('webhook_not_found')
  const { headers } = await manager.get(webhook.path)
  const stale = { 'If-Match': '"stale"' }
  expect((await manager.patch(webhook.path, { active: false }, stale)).status).toBe(412)
  const current = { 'If-Match': headers.get('etag') as string }
  const off = await manager.patch(webhook.path, { active: false }, current)
  expect([off.status, off.body.active]).toEqual([200, false])
  const [delivery] = await deliveriesOnce(owner, told, ({ length }) => length > 0)
  const { body: sent } = await owner.get(`${told.path}/deliveries/${delivery.id}`)
  const payload = JSON.parse(sent.payload)
  expect([payload.type, payload.data]).toEqual(['webhook.disabled', off.body])
  const seenBy = async ({ get }: typeof owner) =>
    (await get('/events?type=webhook.disabled&limit=100')).body.some(
      ({ data }: { data: { id: number } }) => data.id === webhook.id,
    )
  expect(await seenBy(owner)).toBeTrue()
  expect(await seenBy(manager)).toBeTrue()
  expect(await seenBy(await service.newClient())).toBeFalse()
  // The owner can reactivate it.
  expect((await owner.patch(webhook.path, { active: true })).body.active).toBeTrue()
})
