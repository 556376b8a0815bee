import { afterAll, expect } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService, testClock } from '../../server/test/harness/service.ts'
import { choose, inBrowser, openSignedIn, row } from './harness.ts'

const service = await startService({ clock: testClock(Date.now()) })
afterAll(() => service.stop())

inBrowser('the activity says which key did what, also a revoked one, by key and by thing', async () => {
  const { admin } = service
  const till = await service.newClient({ name: 'Till', preset: 'staff' })
  const gone = await service.newClient({ name: 'Left the shop', preset: 'staff' })
  const categoryId = await admin.newCategory('Cats')
  const { id: luna } = (await gone.post('/pets', { name: 'Luna', categoryId })).body
  const { id: rex } = (await till.post('/pets', { name: 'Rex', categoryId })).body
  await till.put(`/store/inventory/${luna}`, { quantity: 7 })
  const { body: order } = await till.post('/store/orders', { petId: luna, quantity: 2 })
  await gone.patch(`/pets/${rex}`, { name: 'Max' })
  await admin.delete(`/keys/${gone.keyId}`)

  await using opened = await openSignedIn(service)
  const { page, faults } = opened
  await page.getByRole('link', { name: 'Activity' }).click()
  const table = page.getByRole('table', { name: 'Activity, newest first' })
  const deeds = async () => {
    const rows = await table.locator('tbody tr').allInnerTexts()
    return rows.map((text) =>
      text
        .split('\t')
        .slice(1)
        .map((cell) => cell.replace(/\s+/g, ' ').trim())
        .join(' | '),
    )
  }
  const deedsBecome = (expected: string[]) => eventually(async () => String(await deeds()) === String(expected))
  await row(page, 'Changed the pet Max').getByRole('link', { name: 'Left the shop' }).waitFor()

  await choose(page, 'Key', 'Left the shop')
  expect(page.url()).toContain(`by=${gone.keyId}`)
  const ofGone = ['Left the shop | Changed the pet Max | Name: Rex → Max', 'Left the shop | Created the pet Luna | ']
  // A new pet comes with a stock count.
  await eventually(async () => (await deeds()).filter((deed) => !deed.includes('stock')).join() === ofGone.join())

  await choose(page, 'Key', 'Till')
  await page.getByLabel('About').selectOption('pet')
  await page.getByLabel('Number of the pet').fill(String(luna))
  await page.keyboard.press('Enter')
  // The stock that the order took is part of the order.
  await deedsBecome([
    `Till | Placed order ${order.id} of Luna | `,
    'Till | Changed the stock of Luna | Quantity: 1 → 7',
  ])
  await till.delete(`/store/orders/${order.id}`)
  await row(page, 'Cancelled').waitFor()
  await page
    .getByRole('link', { name: `order ${order.id}` })
    .first()
    .click()
  await page.getByRole('heading', { name: `Order ${order.id}` }).waitFor()
  expect(faults()).toEqual([])

  // Only those who manage keys see who did it.
  await using other = await openSignedIn(service, { secret: till.secret })
  expect(await other.page.getByRole('link', { name: 'Activity' }).count()).toBe(0)
})
