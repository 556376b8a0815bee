import { afterAll, expect, test } from 'bun:test'
import type { DescribedOperation } from '../../contract/checker.ts'
import { type Client, startService } from '../../harness/service.ts'

// Every operation that takes an id, called with the id of another client's resource.

const service = await startService()
const alice = await service.newClient({ preset: 'client' })
const bob = await service.newClient({ preset: 'client' })
afterAll(() => service.stop())

const unusedId = 9_007_199_254_740_991

/** The owner of a resource, by its path parameter. Add every new parameter here. */
const owners = {
  petId: 'shop',
  categoryId: 'shop',
  orderId: 'client',
  keyId: 'administrator',
  webhookId: 'client',
  deliveryId: 'client',
} as const

const idsIn = ({ path }: DescribedOperation) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof owners)
const firstIdIn = (operation: DescribedOperation) => idsIn(operation)[0] as keyof typeof owners
const takingIds = () => service.contract.operations().filter((operation) => idsIn(operation).length > 0)

function send(client: Client, { method, path, exampleBody }: DescribedOperation, id: number) {
  return client.send(method, path.replace(/\{\w+\}/, String(id)).replace(/\{\w+\}/, '1'), exampleBody)
}

/** Create something that belongs to Alice. */
const makers = {
  orderId: async () => {
    const petId = await service.admin.newPet(5)
    const { body } = await alice.post('/store/orders', { petId, quantity: 1 })
    return { id: body.id, path: `/store/orders/${body.id}` }
  },
  webhookId: async () => {
    const { body } = await alice.post('/webhooks', { url: 'https://shop.example/hooks', events: ['order.*'] })
    return { id: body.id, path: `/webhooks/${body.id}` }
  },
}

test('every path parameter has a known owner', () => {
  for (const operation of takingIds()) {
    for (const name of idsIn(operation)) expect(Object.keys(owners)).toContain(name)
  }
})

test("another client's resource looks like one that does not exist, and cannot be changed", async () => {
  for (const operation of takingIds().filter((each) => owners[firstIdIn(each)] === 'client')) {
    const make = makers[firstIdIn(operation) as keyof typeof makers]
    const { id, path } = await make()
    const before = (await alice.get(path)).body
    const [rejected, absent] = [await send(bob, operation, id), await send(bob, operation, unusedId)]
    expect([operation.id, rejected.status]).toEqual([operation.id, 404])
    const anonymous = ({ body }: typeof rejected, its: number) => ({
      ...body,
      requestId: undefined,
      message: body.message.replaceAll(String(its), 'N'),
    })
    expect(anonymous(rejected, id)).toEqual(anonymous(absent, unusedId))
    expect((await alice.get(path)).body).toEqual(before)
  }
})

test('a list shows a client only its own resources', async () => {
  const { id } = await makers.orderId()
  const idsOf = async (client: Client) =>
    (await client.get('/store/orders?limit=100&sort=-id')).body.map((order: { id: number }) => order.id)
  expect(await idsOf(alice)).toContain(id)
  expect(await idsOf(await service.newClient())).toEqual([])
  const staff = await service.newClient({ preset: 'staff' })
  expect(await idsOf(staff)).toContain(id)
})

test('only administrators manage keys: a client can reach no key, not even its own', async () => {
  for (const operation of takingIds().filter((each) => owners[firstIdIn(each)] === 'administrator')) {
    for (const id of [alice.keyId, bob.keyId, unusedId]) {
      const { status, body } = await send(bob, operation, id)
      expect([operation.id, status, body.code]).toEqual([operation.id, 403, 'insufficient_scope'])
    }
  }
  expect((await alice.get('/pets')).status).toBe(200)
})

test('every client can read the catalogue, and none can change it', async () => {
  const petId = await service.admin.newPet(3)
  const categoryId = (await service.admin.get(`/pets/${petId}`)).body.categoryId
  for (const operation of takingIds().filter((each) => owners[firstIdIn(each)] === 'shop')) {
    const id = operation.path.includes('{petId}') ? petId : categoryId
    for (const client of [alice, bob]) {
      const { status } = await send(client, operation, id)
      expect([operation.id, status]).toEqual([operation.id, operation.method === 'GET' ? 200 : 403])
    }
  }
})

test('an Idempotency-Key belongs to the key that sent it', async () => {
  const petId = await service.admin.newPet(5)
  const headers = { 'Idempotency-Key': 'shared words' }
  const first = await alice.post('/store/orders', { petId }, headers)
  const second = await bob.post('/store/orders', { petId }, headers)
  expect(second.headers.get('idempotent-replayed')).toBeNull()
  expect(second.body.id).not.toBe(first.body.id)
})
