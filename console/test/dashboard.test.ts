import { afterAll, expect } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService, testClock } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, stopClock, waitUntil } from './harness.ts'

const service = await startService({ clock: testClock(Date.now()), env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

inBrowser('the overview updates while other clients place orders', async () => {
  await using opened = await openSignedIn(service)
  const { page, faults } = opened
  const orders = page.getByRole('table', { name: 'Orders, last 24 hours' })
  const requests = page.getByRole('table', { name: 'Requests per minute' })
  await page.getByText('Show as table').nth(1).waitFor()
  for (const summary of await page.getByText('Show as table').all()) await summary.click()
  const placed = async () => Number(await orders.getByRole('row').nth(1).locator('td').first().innerText())
  const sum = async (table: typeof requests) =>
    (await table.locator('tbody tr td:first-of-type').allInnerTexts()).reduce((total, text) => total + Number(text), 0)
  await orders.waitFor()
  const before = await placed()
  const requestsBefore = await sum(requests)
  const elsewhere = await service.newClient()
  // The hour may end meanwhile; then the next one counts them.
  for (let count = 0; count < 3; count++) await elsewhere.post('/store/orders', { petId: 17 })
  const grown = `[...document.querySelectorAll('[aria-label^="Orders, last"] tbody td')].slice(0, 2)
    .reduce((total, cell) => total + Number(cell.textContent), 0)`
  await waitUntil(page, `${grown} >= ${before + 3}`)
  await waitUntil(
    page,
    `[...document.querySelectorAll('[aria-label="Requests per minute"] tbody td:nth-of-type(1)')]
      .reduce((total, cell) => total + Number(cell.textContent), 0) > ${requestsBefore + 3}`,
  )
  await page.getByRole('table', { name: 'Pets by status' }).getByText('available').waitFor()
  await page.getByRole('table', { name: 'Pets by category' }).getByText('Dogs').waitFor()
  await page.getByRole('heading', { name: 'Low stock' }).waitFor()
  await page.getByLabel('Requests by').selectOption('hour')
  await page.getByRole('table', { name: 'Requests per hour' }).waitFor({ state: 'attached' })
  expect(page.url()).toEndWith('/console?per=hour')
  // The chart has a tooltip, too.
  await page.locator('.u-over').first().hover()
  await page.locator('.tip').first().getByText('allowed').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a page that no one sees sends nothing and holds no stream; it goes on when it is seen again', async () => {
  await using opened = await openSignedIn(service)
  const { page } = opened
  await page.getByRole('heading', { name: 'Low stock' }).waitFor()
  await stopClock(page)
  const opensStream = (url: string) => url.endsWith('/events/stream')
  const started: string[] = []
  let ended = 0
  let endedStreams = 0
  page.on('request', (request) => started.push(new URL(request.url()).pathname))
  page.on('requestfinished', () => ended++)
  page.on('requestfailed', (request) => {
    ended++
    if (opensStream(request.url())) endedStreams++
  })
  const show = (isHidden: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  // Longer than the overview waits before it reloads.
  const reloadMs = 25_000
  await show(true)
  await eventually(async () => endedStreams > 0)
  // What was loading may end: the stream that ended was open before this test listened.
  let quiet = 0
  await eventually(async () => {
    const [startedBefore, wasBusy] = [started.length, ended <= started.length]
    await page.clock.runFor(100)
    quiet = wasBusy || started.length > startedBefore ? 0 : quiet + 1
    return quiet > 3
  })
  expect(started.filter(opensStream)).toEqual([])
  started.length = 0
  await page.clock.runFor(reloadMs)
  expect(started).toEqual([])
  await show(false)
  await eventually(async () => started.some(opensStream))
  await page.clock.runFor(reloadMs)
  await eventually(async () => started.some((path) => !opensStream(path)))
})
