import { recordHour } from '../server/src/shop/summary/hours.ts'
import { type Client, type Service, startService, testClock } from '../server/test/harness/service.ts'

const hourMs = 3_600_000
const hours = 30

/** The sample shop after a day and more of orders, deliveries and keys, so that lists and charts have something to show. */
export async function startPicturedShop(): Promise<Service> {
  const shop = await startService({
    clock: testClock(Date.now() - hours * hourMs),
    env: { SAMPLE_DATA: 'true', BASE_URL: 'http://localhost:8080' },
  })
  const { admin } = shop
  const till = await shop.newClient({ name: 'Till in the shop', plan: 'business', preset: 'staff' })
  const partner = await shop.newClient({ name: 'Partner site', plan: 'free', preset: 'client' })
  await admin.post('/webhooks', { url: 'https://shop.example/hooks', events: ['order.*', 'inventory.*'] })
  const { body: pets } = await admin.get('/pets?status=available&limit=40')
  const ids = (pets as { id: number }[]).map(({ id }) => id)
  const open: number[] = []
  for (let hour = 0; hour < hours; hour++) {
    const isOpen = (hour + 20) % 24 > 8
    for (let count = 0; count < (isOpen ? 2 + ((hour * 7) % 5) : 0); count++) {
      const petId = ids[(hour * 5 + count * 3) % ids.length]
      await admin.post(`/store/inventory/${petId}/adjustments`, { delta: 2, reason: 'delivery' })
      const { body: order } = await (count % 2 === 0 ? till : partner).post('/store/orders', { petId })
      if (order?.id) open.push(order.id)
    }
    while (open.length > 6) await admin.patch(`/store/orders/${open.shift()}`, { complete: true })
    shop.clock.advance(hourMs)
    // The job would do this, but does not follow the moved clock: the overview compares with these records.
    await recordHour(shop.context.db, shop.clock.now())
  }
  await getBanned(shop, partner)
  return shop
}

const callsUntilBanned = 100

/** Keeps calling beyond its limit, as a client without backoff does. */
async function getBanned(shop: Service, client: Client): Promise<void> {
  for (let count = 0; count < callsUntilBanned; count++) {
    if (count > 60) shop.clock.advance(1_100)
    await client.get('/pets?limit=1')
  }
}
