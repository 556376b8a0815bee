import { afterAll, expect } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row, stopClock } from './harness.ts'

const service = await startService()
afterAll(() => service.stop())

inBrowser('orders use up the stock, the pet becomes pending, and a cancelled order returns its stock', async () => {
  const petId = await service.admin.newPet(3)
  await using opened = await openSignedIn(service, { path: '/orders' })
  const { page, faults } = opened
  const dialog = page.getByRole('dialog', { name: 'Place an order' })
  const place = async (quantity: string) => {
    await page.getByRole('button', { name: 'Place an order' }).click()
    await dialog.getByRole('combobox', { name: 'Pet' }).fill('Rex')
    await dialog.getByRole('option', { name: 'Rex' }).click()
    await dialog.getByLabel('Quantity').fill(quantity)
    await dialog.getByRole('button', { name: 'Place', exact: true }).click()
  }
  await place('2')
  await dialog.waitFor({ state: 'detached' })
  await row(page, 'Rex').waitFor()
  await place('2')
  await dialog.getByText('Not enough in stock').waitFor()
  await dialog.getByText('Request').waitFor()
  await dialog.getByLabel('Quantity').fill('1')
  await dialog.getByRole('button', { name: 'Place', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await place('1')
  await dialog.getByText('This pet cannot be ordered').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()

  // The pet's screen shows its stock history, the order's screen its history.
  await row(page, 'Rex').first().getByRole('link', { name: 'Rex' }).click()
  await page.getByText('pending').waitFor()
  const stockHistory = page.getByRole('list', { name: 'Stock history' })
  await stockHistory.getByText('Ordered −1').waitFor()
  expect(await stockHistory.getByRole('listitem').count()).toBe(4)
  const [latest] = (await service.admin.get(`/store/orders?petId=${petId}&sort=-id`)).body
  await stockHistory.getByRole('link', { name: `Order ${latest.id}` }).click()
  await page.getByRole('list', { name: 'History' }).getByText('Placed').waitFor()
  await stopClock(page)
  await page.getByRole('button', { name: 'Cancel order' }).click()
  await page.clock.runFor(7_000)
  await page.getByText(`Order ${latest.id} was cancelled.`).waitFor()
  await page.clock.resume()
  await page.getByRole('list', { name: 'History' }).getByText('Cancelled').waitFor()
  await page.getByText('This order was cancelled and its stock returned.').waitFor()
  expect((await service.admin.get(`/pets/${petId}/profile`)).body).toMatchObject({ stock: 1, status: 'available' })

  // The other one is changed and completed.
  const [other] = (await service.admin.get(`/store/orders?petId=${petId}`)).body
  // Without events, the screen learns of another change when it saves; then it loads that, and saves on top of it.
  await page.route('**/events/stream', () => undefined)
  await page.goto(`${service.url}/console/orders/${other.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Quantity').fill('3')
  await service.admin.patch(`/store/orders/${other.id}`, { shipDate: '2027-01-02T12:00:00Z' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Someone else changed this').waitFor()
  await page.getByRole('list', { name: 'History' }).getByText('Ship date').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('list', { name: 'History' }).getByText('Quantity 2 → 3').waitFor()
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.clock.runFor(7_000)
  await page.getByRole('list', { name: 'History' }).getByText('Completed').waitFor()
  await page.getByRole('button', { name: 'Complete' }).waitFor({ state: 'detached' })
  expect(faults()).toEqual([])
})

inBrowser('a count is set and adjusted in its row', async () => {
  const { body: category } = await service.admin.post('/categories', { name: 'Fish' })
  const { body: pet } = await service.admin.post('/pets', { name: 'Guppy', categoryId: category.id })
  await using opened = await openSignedIn(service, { path: '/inventory' })
  const { page } = opened
  const stock = async () => (await service.admin.get(`/store/inventory/${pet.id}`)).body.quantity
  await page.getByRole('button', { name: 'Add one Guppy' }).click()
  await page.getByText('Guppy: 2 in stock.').waitFor()
  await page.getByLabel('Guppy in stock').fill('12')
  await page.getByLabel('Guppy in stock').press('Enter')
  await page.getByText('Guppy: 12 in stock.').waitFor()
  expect(await stock()).toBe(12)
  // One change at a time.
  const sent = Promise.withResolvers<void>()
  await page.route('**/adjustments', async (route) => {
    await sent.promise
    await route.continue()
  })
  const add = page.getByRole('button', { name: 'Add one Guppy' })
  await add.click()
  await page.locator('button:disabled', { hasText: '+' }).waitFor()
  sent.resolve()
  await page.getByText('Guppy: 13 in stock.').waitFor()
  await page.locator('button:disabled', { hasText: '+' }).waitFor({ state: 'detached' })
})

inBrowser('typed text is kept when the row reloads', async () => {
  const { body: category } = await service.admin.post('/categories', { name: 'Shrimps' })
  const { body: amano } = await service.admin.post('/pets', { name: 'Amano', categoryId: category.id })
  await service.admin.post('/pets', { name: 'Cherry', categoryId: category.id })
  await using opened = await openSignedIn(service, { path: '/inventory' })
  const { page } = opened
  await page.getByLabel('Amano in stock').fill('30')
  await service.admin.put(`/store/inventory/${amano.id}`, { quantity: 0 })
  await page.getByRole('button', { name: 'Add one Cherry' }).click()
  await row(page, 'Amano').getByText('sold').waitFor()
  await page.getByLabel('Amano in stock').press('Enter')
  await page.getByText('Amano: 30 in stock.').waitFor()
  expect((await service.admin.get(`/store/inventory/${amano.id}`)).body.quantity).toBe(30)
})

inBrowser('a message says the whole name of a pet, whatever is in it', async () => {
  const categoryId = await service.admin.newCategory('Doctors')
  const { body: pet } = await service.admin.post('/pets', { name: 'Dr. Who', categoryId })
  await using opened = await openSignedIn(service, { path: '/orders?do=new' })
  const dialog = opened.page.getByRole('dialog', { name: 'Place an order' })
  await dialog.getByRole('combobox', { name: 'Pet' }).fill('Dr. Who')
  await dialog.getByRole('option', { name: 'Dr. Who' }).click()
  await dialog.getByLabel('Quantity').fill('2')
  await dialog.getByRole('button', { name: 'Place', exact: true }).click()
  const text = `Dr. Who (pet ${pet.id}) has 1 left; 2 were ordered. Order fewer, or add stock first.`
  await dialog.getByText(text).waitFor()
})

inBrowser('orders are filtered by the days on which they were placed, and printed with dates', async () => {
  const petId = await service.admin.newPet(9)
  const place = async () => (await service.admin.post('/store/orders', { petId })).body.id as number
  const first = await place()
  service.clock.advance(3 * 86_400_000)
  const second = await place()
  await using opened = await openSignedIn(service, { path: `/orders?petId=${petId}` })
  const { page } = opened
  await row(page, String(second)).first().waitFor()
  const { placedAt } = (await service.admin.get(`/store/orders/${first}`)).body
  const day = (await page.evaluate(
    (at) => new Date(at).toLocaleDateString('sv-SE'), // year-month-day
    placedAt,
  )) as string
  const ids = () => page.evaluate("[...document.querySelectorAll('tbody tr')].map(({ dataset }) => Number(dataset.id))")
  await page.getByLabel('to', { exact: true }).fill(day)
  await page.locator(`tr[data-id="${second}"]`).waitFor({ state: 'detached' })
  await page.locator(`tr[data-id="${first}"]`).waitFor()
  expect(await ids()).toEqual([first])
  await page.getByLabel('Placed from').fill(day)
  await page.locator(`tr[data-id="${first}"]`).waitFor()
  expect(page.url()).toContain(`placedFrom=${day}`)

  await page.emulateMedia({ media: 'print' })
  const printed = await page.evaluate(`getComputedStyle(document.querySelector('tbody time'), '::after').content`)
  expect(printed).toContain(String(new Date(placedAt).getFullYear()))
  expect(await page.locator('tbody time span').first().isVisible()).toBe(false)
})
