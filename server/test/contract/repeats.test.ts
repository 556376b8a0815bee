import { afterAll, expect, test } from 'bun:test'
import { startService } from '../harness/service.ts'
import type { DescribedOperation } from './checker.ts'
import { bodyOf, declares, type Ids, newAdministrator, newIds, pathOf, pathOfNothing } from './example-request.ts'

// Idempotency-Key on every POST.

const service = await startService()
afterAll(() => service.stop())
const api = await newAdministrator(service)

const posts = service.contract.operations().filter(({ method }) => method === 'POST')

test.each(posts)('$id replays its response, but not for another body', async (operation) => {
  const ids = await newIds(api)
  const path = pathOf(operation, ids)
  const body = JSON.stringify(bodyOf(operation, ids) ?? {})
  const headers = { 'Idempotency-Key': `once-${operation.id}` }
  const first = await api.post(path, body, headers)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const again = await api.post(path, body, headers)
  expect(again.status).toBe(first.status)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
  // Including secrets, which are stored encrypted.
  expect(again.body).toEqual(first.body)

  // Without a body, another path makes a different request.
  const other = operation.exampleBody
    ? await api.post(path, `${body} `, headers)
    : await api.post(pathOf(operation, await newIds(api)), undefined, headers)
  expect(other.status).toBe(422)
  expect(other.body.code).toBe('idempotency_key_reused')
})

/** A request that a business rule rejects, with the example body except for these fields. */
interface Rejected {
  readonly id: string
  readonly status: number
  readonly path: (ids: Ids) => string
  readonly fields?: object
  readonly items?: readonly object[]
}

const rejected: readonly Rejected[] = [
  ...posts
    .filter((operation) => declares(operation, 404))
    .map((operation) => ({ id: operation.id, status: 404, path: () => pathOfNothing(operation) })),
  { id: 'placeOrder', status: 409, path: () => '/store/orders', fields: { quantity: 6 } },
  { id: 'placeOrder', status: 422, path: () => '/store/orders', fields: { petId: 2_000_000_000 } },
  { id: 'createPet', status: 422, path: () => '/pets', fields: { categoryId: 2_000_000_000 } },
  { id: 'createPets', status: 422, path: () => '/pets/batch', items: [{ name: 'Rex', categoryId: 2_000_000_000 }] },
  {
    id: 'adjustInventory',
    status: 409,
    path: ({ petId }) => `/store/inventory/${petId}/adjustments`,
    fields: { delta: -6 },
  },
  ...posts
    .filter(({ path }) => /\/(ping|redeliver|replay)$/.test(path))
    .map((operation) => ({ id: operation.id, status: 409, path: (ids: Ids) => pathOf(operation, ids) })),
  { id: 'createWebhook', status: 409, path: () => '/webhooks' },
]

test.each(rejected)('$id replays its $status', async ({ id, status, path, fields, items }) => {
  const client = await newAdministrator(service)
  const ids = await newIds(client)
  await client.patch(`/webhooks/${ids.webhookId}`, { active: false })
  const body = items ?? { ...bodyOf(posts.find((post) => post.id === id) as DescribedOperation, ids), ...fields }
  if (id === 'createWebhook') while ((await client.post('/webhooks', body)).status === 201);
  const send = () => client.post(path(ids), body, { 'Idempotency-Key': 'rejected' })
  const [first, again] = [await send(), await send()]
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([status, null])
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([status, 'true'])
  expect(again.body.code).toBe(first.body.code)
})

test.each(posts)('$id returns 409 while the first request is in progress', async (operation) => {
  const ids = await newIds(api)
  const idempotencyKey = `busy-${operation.id}`
  const send = () =>
    api.post(pathOf(operation, ids), bodyOf(operation, ids) ?? {}, { 'Idempotency-Key': idempotencyKey })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // SQLite runs writes one after the other, PostgreSQL takes a lock by name: this delays both.
  const delay = Promise.withResolvers<void>()
  const holding = service.context.db.transaction(async (tx) => {
    await tx.tryLock(`idempotency:${api.keyId}:${idempotencyKey}`)
    delay.resolve()
    await released
  })
  await delay.promise
  const both = [send(), send()]
  const first = await Promise.race(both)
  release()
  await holding
  expect(first.status).toBe(409)
  expect(first.body.code).toBe('idempotency_in_progress')
  await Promise.all(both)
})
