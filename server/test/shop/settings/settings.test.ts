import { afterAll, expect, test } from 'bun:test'
import { describeGaps } from '../../../src/commands/gaps.ts'
import { dayMs } from '../../../src/platform/lib/time.ts'
import { addUpShopCounts } from '../../../src/shop/summary/counts.ts'
import { recordHour } from '../../../src/shop/summary/hours.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'

// Each test has its own shop, because the settings are those of the whole shop.
const services: Service[] = []
afterAll(() => Promise.all(services.map((service) => service.stop())))
async function open() {
  const service = await startService()
  services.push(service)
  return { service, staff: await service.newClient({ preset: 'staff' }) }
}

const setLowStockMax = (staff: Client, lowStockMax: number) => staff.patch('/store/settings', { lowStockMax })
const countLow = async (staff: Client) => {
  const { lowStock, lowStockMax } = (await staff.get('/store/summary')).body
  return { lowStock, lowStockMax }
}

test('stock is low up to 2, until staff changes it; others may only read the setting', async () => {
  const { service, staff } = await open()
  const client = await service.newClient()
  expect((await client.get('/store/settings')).body).toEqual({ lowStockMax: 2 })
  expect((await setLowStockMax(client, 5)).body.code).toBe('insufficient_scope')
  expect((await setLowStockMax(staff, 5)).body).toEqual({ lowStockMax: 5 })
  expect((await staff.patch('/store/settings', {})).body).toEqual({ lowStockMax: 5 })
  expect((await client.get('/store/settings')).body).toEqual({ lowStockMax: 5 })
  expect((await setLowStockMax(staff, 0)).status).toBe(200)
  expect((await setLowStockMax(staff, 1_000_000)).status).toBe(200)
  for (const wrong of [-1, 1_000_001, 1.5, null, '2']) {
    expect((await staff.patch('/store/settings', { lowStockMax: wrong })).status).toBe(400)
  }
})

test('a change that was meant for another state is rejected', async () => {
  const { staff } = await open()
  const etag = (await staff.get('/store/settings')).headers.get('ETag') as string
  await setLowStockMax(staff, 4)
  const late = await staff.patch('/store/settings', { lowStockMax: 9 }, { 'If-Match': etag })
  expect(late.status).toBe(412)
  expect((await staff.get('/store/settings', { 'If-None-Match': etag })).body).toEqual({ lowStockMax: 4 })
})

test('inventory.low is sent when stock falls from above the threshold to it, whatever the cause', async () => {
  const { service, staff } = await open()
  await setLowStockMax(staff, 5)
  const petId = await staff.newPet(9)
  const { body: order } = await staff.post('/store/orders', { petId, quantity: 4 })
  // Already low, then up again, then low and out of stock at once.
  await staff.post(`/store/inventory/${petId}/adjustments`, { delta: -1 })
  await staff.patch('/store/inventory', [{ petId, quantity: 6 }])
  await staff.put(`/store/inventory/${petId}`, { quantity: 0 })
  const { body: events } = await service.admin.get('/events?type=inventory.*&limit=100')
  const ofPet = events.filter(({ data }: { data: { petId: number } }) => data.petId === petId)
  const brief = ({ type, data, orderId }: { type: string; data: { quantity: number }; orderId?: number }) => [
    type,
    data.quantity,
    orderId,
  ]
  expect(ofPet.map(brief).slice(-7)).toEqual([
    ['inventory.changed', 5, order.id],
    ['inventory.low', 5, order.id],
    ['inventory.changed', 4, undefined],
    ['inventory.changed', 6, undefined],
    ['inventory.changed', 0, undefined],
    ['inventory.low', 0, undefined],
    ['inventory.depleted', 0, undefined],
  ])
})

test('the summary counts by the setting at once, and goes on counting by it', async () => {
  const { service, staff } = await open()
  const { db } = service.context
  const ids: number[] = []
  for (const quantity of [0, 2, 3, 8]) ids.push(await staff.newPet(quantity))
  expect(await countLow(staff)).toEqual({ lowStock: 2, lowStockMax: 2 })
  await setLowStockMax(staff, 3)
  expect(await countLow(staff)).toEqual({ lowStock: 3, lowStockMax: 3 })
  await staff.put(`/store/inventory/${ids[3]}`, { quantity: 3 })
  await staff.put(`/store/inventory/${ids[0]}`, { quantity: 4 })
  expect(await countLow(staff)).toEqual({ lowStock: 3, lowStockMax: 3 })
  await staff.newPet(3)
  await staff.delete(`/pets/${ids[0]}`)
  await addUpShopCounts(db)
  expect(await countLow(staff)).toEqual({ lowStock: 4, lowStockMax: 3 })
  await setLowStockMax(staff, 0)
  expect(await countLow(staff)).toEqual({ lowStock: 0, lowStockMax: 0 })
  expect(await describeGaps(db)).toEqual([])
})

test('stock that changes at the same time as the setting is counted by the new one', async () => {
  const { service, staff } = await open()
  const ids: number[] = []
  for (let pets = 0; pets < 8; pets++) ids.push(await staff.newPet(9))
  for (const lowStockMax of [5, 1, 7]) {
    const changes = ids.map((id, index) =>
      staff.put(`/store/inventory/${id}`, { quantity: (lowStockMax + index) % 10 }),
    )
    await Promise.all([...changes.slice(0, 4), setLowStockMax(staff, lowStockMax), ...changes.slice(4)])
    expect(await describeGaps(service.context.db)).toEqual([])
  }
})

test('the day before is not compared by another threshold', async () => {
  const { service, staff } = await open()
  await staff.newPet(1)
  await recordHour(service.context.db, service.clock.now())
  service.clock.advance(dayMs)
  const dayBefore = async () => (await staff.get('/store/summary')).body.dayBefore
  expect(await dayBefore()).toEqual({ openOrders: 0, available: 1, lowStock: 1 })
  await setLowStockMax(staff, 3)
  expect(await dayBefore()).toEqual({ openOrders: 0, available: 1 })
})
