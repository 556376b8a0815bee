import { afterAll, expect } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { type Service, startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row } from './harness.ts'

const services: Service[] = []
afterAll(() => Promise.all(services.map((service) => service.stop())))

/** A shop with these pets and counts. */
async function open(stock: Readonly<Record<string, number>>) {
  const service = await startService()
  services.push(service)
  const { admin } = service
  const categoryId = await admin.newCategory('Dogs')
  const ids: Record<string, number> = {}
  for (const [name, quantity] of Object.entries(stock)) {
    const { id } = (await admin.post('/pets', { name, categoryId })).body
    await admin.put(`/store/inventory/${id}`, { quantity })
    ids[name] = id
  }
  const quantityOf = async (name: string) => (await admin.get(`/store/inventory/${ids[name]}`)).body.quantity
  return { service, ids, quantityOf }
}

inBrowser('stock is searched by name, sorted, and filtered by what is out and low', async () => {
  const { service, ids } = await open({ Zorro: 0, Bella: 2, Anton: 9, Bello: 40 })
  // A pet whose inventory item was deleted has none left.
  await service.admin.delete(`/store/inventory/${ids.Zorro}`)
  await using opened = await openSignedIn(service, { path: '/inventory' })
  const { page, faults } = opened
  const names = () => page.getByRole('table', { name: 'Inventory' }).locator('tbody a.name').allInnerTexts()
  const namesBecome = (...expected: string[]) => eventually(async () => String(await names()) === String(expected))
  await namesBecome('Zorro', 'Bella', 'Anton', 'Bello')
  await page.getByRole('button', { name: 'Pet', exact: true }).click()
  await namesBecome('Anton', 'Bella', 'Bello', 'Zorro')
  await page.getByLabel('Search pets by name').pressSequentially('bell')
  await namesBecome('Bella', 'Bello')
  await page.getByLabel('Search pets by name').fill('')
  await page.getByRole('link', { name: 'Low: 2 or fewer 2' }).click()
  await namesBecome('Bella', 'Zorro')
  await page.getByRole('link', { name: 'None left 1' }).click()
  await namesBecome('Zorro')
  await page.getByRole('button', { name: 'Add one Zorro' }).click()
  await page.getByText('Zorro: 1 in stock.').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a count that others change back at once is shown as it is', async () => {
  const { service, ids } = await open({ Rex: 5 })
  await using opened = await openSignedIn(service, { path: '/inventory' })
  const { page } = opened
  await page.route('**/adjustments', async (route) => {
    const response = await route.fetch()
    await service.admin.post('/store/orders', { petId: ids.Rex })
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Add one Rex' }).click()
  await page.getByText('Rex: 6 in stock.').waitFor()
  const field = page.getByLabel('Rex in stock')
  await eventually(async () => (await field.inputValue()) === '5')
})

inBrowser('the threshold of low stock is changed on the inventory screen, and the overview counts by it', async () => {
  const { service } = await open({ Bella: 2, Anton: 4, Bello: 40 })
  await using opened = await openSignedIn(service)
  const { page, faults } = opened
  const low = page.getByRole('link', { name: /^Running low/ })
  await low.getByText('Running low: 2 or fewer').waitFor()
  await low.getByText('1', { exact: true }).waitFor()
  await low.click()
  await page.getByText('Running low: 2 or fewer', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog', { name: 'When stock is low' })
  await dialog.getByLabel('Running low at').fill('5')
  await dialog.getByLabel('Running low at').press('Enter')
  await page.getByText('Low stock is now 5 or fewer.').waitFor()
  expect((await service.admin.get('/store/settings')).body).toEqual({ lowStockMax: 5 })
  await page.getByRole('link', { name: 'Overview' }).click()
  await low.getByText('Running low: 5 or fewer').waitFor()
  await low.getByText('2', { exact: true }).waitFor()
  await low.click()
  await row(page, 'Anton').waitFor()
  // A key that may only read stock sees it and cannot change it.
  const reader = await service.newClient({ preset: 'reader' })
  await using other = await openSignedIn(service, { path: '/inventory', secret: reader.secret })
  await other.page.getByText('Running low: 5 or fewer').first().waitFor()
  expect(await other.page.getByRole('button', { name: 'Change' }).count()).toBe(0)
  expect(faults()).toEqual([])
})

inBrowser('a stock-take: counts are typed down the list, the differences reviewed and saved together', async () => {
  const { service, ids, quantityOf } = await open({ Anton: 9, Bella: 2, Carlo: 5, Dora: 7 })
  await using opened = await openSignedIn(service, { path: '/inventory' })
  const { page, faults } = opened
  await page.getByRole('button', { name: 'Count the stock' }).click()
  await page.getByLabel('Anton counted').click()
  await page.keyboard.type('8')
  await page.keyboard.press('Enter')
  await page.keyboard.type('2')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.type('6x')
  const bar = page.getByRole('region', { name: 'Stock-take' })
  await bar.getByText('Carlo: type a whole number.').waitFor()
  expect(await bar.getByRole('button', { name: 'Review differences' }).isDisabled()).toBeTrue()
  await page.keyboard.press('Backspace')
  await bar.getByText('3 counted, 2 differ').waitFor()

  // A search keeps what was typed.
  await page.getByLabel('Search pets by name').fill('dora')
  await row(page, 'Anton').waitFor({ state: 'detached' })
  await page.getByLabel('Dora counted').fill('0')
  await bar.getByText('4 counted, 3 differ').waitFor()
  // Leaving asks first, because the counts would be lost.
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('button', { name: 'Keep typing' }).click()
  // Another view of the same stock loses nothing.
  await page.getByRole('link', { name: 'Inventory', exact: true }).click()
  await row(page, 'Anton').waitFor()
  await bar.getByText('4 counted, 3 differ').waitFor()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('button', { name: 'Keep typing' }).click()
  // Some are sold after they were counted, and must stay sold.
  await service.admin.post('/store/orders', { petId: ids.Anton, quantity: 3 })

  // A reload keeps them.
  page.once('dialog', (question) => question.accept())
  await page.reload()
  await bar.getByText('4 counted, 3 differ').waitFor()
  expect(await page.getByLabel('Dora counted').inputValue()).toBe('0')
  // A count that is corrected is still compared with what was on record when it was counted.
  for (const count of ['7', '8']) await page.getByLabel('Anton counted').fill(count)

  await bar.getByRole('button', { name: 'Review differences' }).click()
  const review = page.getByRole('dialog', { name: 'Review the differences' })
  await review.getByText('9 were on record, now 6').waitFor()
  const cells = await review.getByRole('table').locator('tbody tr').allInnerTexts()
  expect(cells.map((text) => text.split(/\s+/).slice(-3))).toEqual([
    ['8', '−1', '5'],
    ['6', '+1', '6'],
    ['0', '−7', '0'],
  ])
  const saved = page.waitForRequest((request) => request.method() === 'PATCH')
  await review.getByRole('button', { name: 'Save 3 pets' }).click()
  expect((await saved).postDataJSON()).toHaveLength(3)
  await page.getByText('The stock of 3 pets was corrected.').waitFor()
  expect(await Promise.all(['Anton', 'Bella', 'Carlo', 'Dora'].map(quantityOf))).toEqual([5, 2, 6, 0])
  await bar.getByText('1 counted, 0 differ').waitFor()
  await bar.getByRole('button', { name: 'Stop counting' }).click()
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Count the stock' }).click()
  await bar.getByText('Type what you count.').waitFor()
  expect(faults()).toEqual([])
})
