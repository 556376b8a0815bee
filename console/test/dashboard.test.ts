import { afterAll, beforeAll, expect } from 'bun:test'
import { type Service, startService, testClock } from '../../server/test/harness/service.ts'
import { inBrowser, signedIn, until } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ clock: testClock(Date.now()), env: { SAMPLE_DATA: 'true' } })
})
afterAll(() => service.stop())

inBrowser('the overview moves while orders come in from elsewhere', async () => {
  await using seen = await signedIn(service)
  const { page, faults } = seen
  const orders = page.getByRole('table', { name: 'Orders of the last day' })
  const requests = page.getByRole('table', { name: 'Requests a minute' })
  await page.getByText('As a table').nth(1).waitFor()
  for (const summary of await page.getByText('As a table').all()) await summary.click()
  const placed = async () => Number(await orders.getByRole('row').nth(1).locator('td').first().innerText())
  const sum = async (table: typeof requests) =>
    (await table.locator('tbody tr td:first-of-type').allInnerTexts()).reduce((total, text) => total + Number(text), 0)
  await orders.waitFor()
  const before = await placed()
  const requestsBefore = await sum(requests)
  const elsewhere = await service.newClient()
  // The hour may end meanwhile; then the next one has them.
  for (let count = 0; count < 3; count++) await elsewhere.post('/store/orders', { petId: 17 })
  const grown = `[...document.querySelectorAll('[aria-label^="Orders of"] tbody td')].slice(0, 2)
    .reduce((total, cell) => total + Number(cell.textContent), 0)`
  await until(page, `${grown} >= ${before + 3}`)
  await until(
    page,
    `[...document.querySelectorAll('[aria-label="Requests a minute"] tbody td:nth-of-type(1)')]
      .reduce((total, cell) => total + Number(cell.textContent), 0) > ${requestsBefore + 3}`,
  )
  await page.getByRole('table', { name: 'Pets by status' }).getByText('available').waitFor()
  await page.getByRole('table', { name: 'Pets by category' }).getByText('Dogs').waitFor()
  await page.getByRole('heading', { name: 'Running low' }).waitFor()
  await page.getByLabel('Requests by').selectOption('hour')
  await page.getByRole('table', { name: 'Requests an hour' }).waitFor({ state: 'attached' })
  expect(page.url()).toEndWith('/console?per=hour')
  // The figures are drawn too, with a tooltip.
  await page.locator('.u-over').first().hover()
  await page.locator('.tip').first().getByText('allowed').waitFor()
  expect(faults()).toEqual([])
})
