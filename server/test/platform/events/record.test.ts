import { afterAll, expect, test } from 'bun:test'
import { findLogEnd, readLog } from '../../../src/platform/events/log.ts'
import type { Position } from '../../../src/platform/events/position.ts'
import type { EventRow } from '../../../src/platform/events/types.ts'
import { eventually } from '../../harness/eventually.ts'
import { getBanned } from '../../harness/flood.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
const admin = service.admin
afterAll(() => service.stop())

/** The events recorded during `work`, in the order of the log. */
async function happening(work: () => Promise<unknown>) {
  const before = await settledEnd()
  await work()
  const end = await settledEnd()
  const rows = await readLog(service.context.db, before, 1_000)
  return rows.filter((row) => !isBehind(row, end)).map(simplify)
}

const isBehind = (row: Position, end: Position) => row.tx > end.tx || (row.tx === end.tx && row.id > end.id)

const simplify = ({ type, data, previous, key_id }: EventRow) => ({
  type,
  data: JSON.parse(data),
  ...(previous !== null && { previous: JSON.parse(previous) }),
  ...(key_id !== null && { keyId: key_id }),
})

/** The end of the log, once it includes everything committed so far: other transactions may delay that for a moment. */
async function settledEnd(): Promise<Position> {
  return eventually(async () => {
    const [row] = await service.context.db.query('SELECT count(*) AS all_events FROM events')
    const end = await findLogEnd(service.context.db)
    const [seen] = await service.context.db.query(
      'SELECT count(*) AS all_events FROM events WHERE (tx, id) <= ($1, $2)',
      [end.tx, end.id],
    )
    return JSON.stringify(row) === JSON.stringify(seen) && end
  })
}

test('a category is created, updated and deleted', async () => {
  let id = 0
  expect(
    await happening(async () => {
      id = await admin.newCategory('Cats')
      await admin.patch(`/categories/${id}`, { description: 'They purr.' })
      await admin.patch(`/categories/${id}`, { name: 'Cats' })
      await admin.put(`/categories/${id}`, { name: 'Big cats' })
      await admin.delete(`/categories/${id}`)
    }),
  ).toEqual([
    { type: 'category.created', data: { id, name: 'Cats' } },
    {
      type: 'category.updated',
      data: { id, name: 'Cats', description: 'They purr.' },
      previous: { description: null },
    },
    { type: 'category.updated', data: { id, name: 'Big cats' }, previous: { name: 'Cats', description: 'They purr.' } },
    { type: 'category.deleted', data: { id, name: 'Big cats' } },
  ])
})

test('a pet is created with its stock, updated and deleted', async () => {
  const categoryId = await admin.newCategory()
  let id = 0
  const pet = () => ({ id, name: 'Rex', categoryId, status: 'available' })
  const events = await happening(async () => {
    id = (await admin.post('/pets', { name: 'Rex', categoryId })).body.id
    await admin.patch(`/pets/${id}`, { name: 'Rex' })
    await admin.patch(`/pets/${id}`, { name: 'Max', status: 'pending' })
    await admin.patch(`/pets/${id}`, { name: 'Rex', status: 'available' })
    await admin.delete(`/pets/${id}`)
  })
  expect(events).toEqual([
    { type: 'pet.created', data: pet() },
    {
      type: 'inventory.changed',
      data: { petId: id, quantity: 1, status: 'available' },
      previous: { quantity: 0 },
    },
    {
      type: 'pet.updated',
      data: { ...pet(), name: 'Max', status: 'pending' },
      previous: { name: 'Rex', status: 'available' },
    },
    { type: 'pet.updated', data: pet(), previous: { name: 'Max', status: 'pending' } },
    { type: 'pet.deleted', data: pet() },
    {
      type: 'inventory.changed',
      data: { petId: id, quantity: 0, status: 'available' },
      previous: { quantity: 1 },
    },
    {
      type: 'inventory.depleted',
      data: { petId: id, quantity: 0, status: 'available' },
      previous: { quantity: 1 },
    },
  ])
})

test('setting, adjusting or removing stock records the count and the status that follows', async () => {
  const petId = await admin.newPet(1)
  const events = await happening(async () => {
    await admin.put(`/store/inventory/${petId}`, { quantity: 4 })
    await admin.put(`/store/inventory/${petId}`, { quantity: 4 })
    await admin.post(`/store/inventory/${petId}/adjustments`, { delta: -4 })
    await admin.patch('/store/inventory', [{ petId, quantity: 2 }])
    await admin.delete(`/store/inventory/${petId}`)
  })
  const item = (quantity: number, status: string) => ({ petId, quantity, status })
  const toSold = { quantity: 4, status: 'available' }
  expect(events.filter(({ type }) => type !== 'pet.updated')).toEqual([
    { type: 'inventory.changed', data: item(4, 'available'), previous: { quantity: 1 } },
    { type: 'inventory.changed', data: item(0, 'sold'), previous: toSold },
    { type: 'inventory.low', data: item(0, 'sold'), previous: toSold },
    { type: 'inventory.depleted', data: item(0, 'sold'), previous: toSold },
    { type: 'inventory.changed', data: item(2, 'available'), previous: { quantity: 0, status: 'sold' } },
    { type: 'inventory.changed', data: item(0, 'sold'), previous: { quantity: 2, status: 'available' } },
    { type: 'inventory.depleted', data: item(0, 'sold'), previous: { quantity: 2, status: 'available' } },
  ])
  const changes = events.filter(({ type }) => type === 'pet.updated')
  expect(changes.map(({ data, previous }) => [previous, data.status])).toEqual([
    [{ status: 'available' }, 'sold'],
    [{ status: 'sold' }, 'available'],
    [{ status: 'available' }, 'sold'],
  ])
})

test('an order is placed, updated, completed or cancelled, and belongs to the key that placed it', async () => {
  const client = await service.newClient()
  const petId = await admin.newPet(9)
  let [kept, cancelled] = [0, 0]
  const shipDate = '2027-01-31T12:00:00.000Z'
  const events = await happening(async () => {
    kept = (await client.post('/store/orders', { petId, quantity: 2 })).body.id
    await client.patch(`/store/orders/${kept}`, { quantity: 3, shipDate })
    await client.patch(`/store/orders/${kept}`, { quantity: 3 })
    await admin.patch(`/store/orders/${kept}`, { complete: true })
    cancelled = (await client.post('/store/orders', { petId })).body.id
    await admin.delete(`/store/orders/${cancelled}`)
  })
  const { keyId } = client
  const placedAt = new Date(service.clock.now()).toISOString()
  const order = { id: kept, petId, quantity: 2, complete: false, placedAt }
  expect(events.filter(({ type }) => type.startsWith('order.'))).toEqual([
    { type: 'order.placed', data: order, keyId },
    {
      type: 'order.updated',
      data: { ...order, quantity: 3, shipDate },
      previous: { quantity: 2, shipDate: null },
      keyId,
    },
    {
      type: 'order.completed',
      data: { ...order, quantity: 3, shipDate, complete: true },
      previous: { complete: false },
      keyId,
    },
    { type: 'order.placed', data: { id: cancelled, petId, quantity: 1, complete: false, placedAt }, keyId },
    { type: 'order.cancelled', data: { id: cancelled, petId, quantity: 1, complete: false, placedAt }, keyId },
  ])
  expect(
    events.filter(({ type }) => type === 'inventory.changed').map(({ data, previous }) => [previous, data.quantity]),
  ).toEqual([
    [{ quantity: 9 }, 7],
    [{ quantity: 7 }, 6],
    [{ quantity: 6 }, 5],
    [{ quantity: 5 }, 6],
  ])
})

test('ordering the last one records the empty stock and the status that follows', async () => {
  const petId = await admin.newPet(1)
  const events = await happening(() => admin.post('/store/orders', { petId }))
  expect(events.map(({ type }) => type)).toEqual([
    'order.placed',
    'inventory.changed',
    'inventory.depleted',
    'pet.updated',
  ])
  expect(events.at(-1)).toMatchObject({ data: { id: petId, status: 'pending' }, previous: { status: 'available' } })
})

test('a key is created, updated, rotated, banned, unbanned and revoked, and no event contains a secret', async () => {
  const secrets: string[] = []
  let id = 0
  const events = await happening(async () => {
    const made = await admin.post('/keys', { name: 'Eve', plan: 'free', preset: 'reader' })
    id = made.body.id
    await admin.patch(`/keys/${id}`, { name: 'Eve' })
    await admin.patch(`/keys/${id}`, { name: 'Mallory' })
    const rotated = await admin.post(`/keys/${id}/rotate`, {})
    secrets.push(made.body.secret, rotated.body.secret)
    const eve = service.as(rotated.body.secret)
    await getBanned(service, eve)
    await admin.delete(`/keys/${id}/ban`)
    await admin.delete(`/keys/${id}/ban`)
    await admin.delete(`/keys/${id}`)
  })
  expect(events.map(({ type }) => type)).toEqual([
    'key.created',
    'key.updated',
    'key.rotated',
    'key.banned',
    'key.unbanned',
    'key.revoked',
  ])
  const [created, updated, rotated, banned, unbanned, revoked] = events
  expect(created?.data).toMatchObject({ id, name: 'Eve', plan: 'free', prefix: secrets[0]?.slice(0, 8) })
  expect(updated?.previous).toEqual({ name: 'Eve' })
  expect(rotated?.previous).toEqual({ prefix: secrets[0]?.slice(0, 8) })
  expect(banned?.previous).toEqual({ ban: null })
  expect(unbanned?.previous).toEqual({ ban: banned?.data.ban })
  expect(revoked?.data).toMatchObject({ id, name: 'Mallory' })
  for (const secret of secrets) expect(JSON.stringify(events)).not.toContain(secret)
  expect(JSON.stringify(events)).not.toMatch(/ps_[0-9A-Za-z]{36}/)
})

test('a rejected request records no event', async () => {
  const petId = await admin.newPet(1)
  const events = await happening(async () => {
    expect((await admin.post('/store/orders', { petId, quantity: 2 })).status).toBe(409)
    expect((await admin.patch(`/pets/${petId}`, { categoryId: 999_999 })).status).toBe(422)
    expect((await admin.post('/pets/batch', [{ name: 'A', categoryId: 999_999 }])).status).toBe(422)
  })
  expect(events).toEqual([])
})
