import { afterAll, expect } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn } from './harness.ts'

const service = await startService()
const petId = await service.admin.newPet(5)
await service.admin.post('/store/orders', { petId })
const client = await service.newClient({ preset: 'client' })
afterAll(() => service.stop())

const otherKeys = 'Your key cannot see orders placed with other keys: this needs the scope orders:all.'

inBrowser('a client is told that there may be orders that its key cannot see', async () => {
  await using opened = await openSignedIn(service, { path: `/pets/${petId}`, secret: client.secret })
  const { page, faults } = opened
  await page.getByText('No orders placed with your key.').waitFor()
  await page.getByText(otherKeys).waitFor()
  await page.getByRole('list', { name: 'Stock history' }).getByText('By an order that your key cannot see').waitFor()
  expect(await page.getByText('No orders yet').count()).toBe(0)

  // By keyboard: the link to all of its orders, then the overview.
  await page.getByRole('link', { name: 'All', exact: true }).press('Enter')
  await page.getByText('No orders placed with your key match these filters').waitFor()
  await page.getByText(otherKeys).waitFor()
  await page.getByRole('link', { name: 'Overview' }).press('Enter')
  await page.getByText('Your key cannot see the figures of the shop').waitFor()
  await page.getByRole('heading', { name: 'Requests of your key' }).waitFor()
  const events = page.getByRole('list', { name: 'Latest events' })
  await events.getByText('pet.created').first().waitFor()
  expect(await events.getByText('order.placed').count()).toBe(0)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('Your key has no webhooks yet').waitFor()
  await page.getByText('Your key cannot see webhooks of other keys').waitFor()
  await page.goto(`${service.url}/console/orders/1`)
  await page.getByText('Order not found').waitFor()
  await page.getByText(otherKeys).waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a key without a scope is told what is missing, where others see it', async () => {
  const reader = await service.newClient({ scopes: ['pets:read'] })
  await using opened = await openSignedIn(service, { path: `/pets/${petId}`, secret: reader.secret })
  const { page } = opened
  await page.getByText('Your key cannot see orders: this needs the scope orders:read.').waitFor()
  await page.getByText('Your key cannot see how the stock changed').waitFor()
  await page.getByText('4 in stock').waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('Your key cannot see the figures of the shop').waitFor()
})

inBrowser('a key that cannot see pets orders by number', async () => {
  const till = await service.newClient({ scopes: ['orders:read', 'orders:write'] })
  await using opened = await openSignedIn(service, { path: '/orders?do=new', secret: till.secret })
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'Place an order' })
  await dialog.getByLabel('Pet').fill(String(petId))
  await dialog.getByLabel('Pet').press('Enter')
  await page.getByText(/Order \d+ was placed\./).waitFor()
  await page.getByText('Your key cannot see the names of pets').waitFor()
})

inBrowser('a key that sees everything is told nothing about its limits', async () => {
  await using opened = await openSignedIn(service, { path: `/pets/${petId}` })
  const { page } = opened
  await page.getByRole('list', { name: 'Stock history' }).getByRole('link', { name: 'Order 1' }).waitFor()
  for (const name of ['Orders', 'Webhooks', 'Inventory', 'Overview']) {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    expect(await page.getByText('Your key cannot see').count()).toBe(0)
  }
})
