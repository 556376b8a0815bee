import { afterAll, expect } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { recordHour } from '../../server/src/shop/summary/hours.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import { flood, getBanned } from '../../server/test/harness/flood.ts'
import { testClock } from '../../server/test/harness/service.ts'
import { startReceiver } from '../../server/test/platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../../server/test/platform/webhooks/shop.ts'
import { inBrowser, openSignedIn, waitForFocus, waitUntil } from './harness.ts'

const service = await startShop({ clock: testClock(Date.now()), env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

const dayMs = 86_400_000
const figures = (page: Page) => page.getByRole('list', { name: 'The shop in figures' })
const figure = (page: Page, name: string) => figures(page).getByRole('link', { name })

/** How many requests of its quota a key has left this minute. Reading this costs nothing. */
const left = async (client: { get(path: string): Promise<{ body: { windows: { remaining: number }[] } }> }) =>
  (await client.get('/limits')).body.windows[0]?.remaining ?? 0

/** Records what the charts draw: colours and labels. */
const recordDrawing = `
  window.drawn = []
  const { fill, fillText } = CanvasRenderingContext2D.prototype
  Object.assign(CanvasRenderingContext2D.prototype, {
    fill(...path) { window.drawn.push(this.fillStyle); return fill.apply(this, path) },
    fillText(text, ...place) { window.drawn.push(text); return fillText.call(this, text, ...place) },
  })`
const drawnOn = async (page: Page) => (await page.evaluate('window.drawn')) as string[]

inBrowser('a reload of the overview takes four requests, and shows what happened before', async () => {
  const client = await service.newClient({ plan: 'free', preset: 'admin' })
  await using opened = await openSignedIn(service, { secret: client.secret })
  const { page, faults } = opened
  const isComplete = async () => {
    await figure(page, 'Open orders').waitFor()
    await page.locator('[aria-label="Requests, last 24 hours"]').waitFor({ state: 'attached' })
    await page.getByRole('list', { name: 'Latest events' }).getByRole('listitem').nth(9).waitFor()
  }
  await isComplete()
  // The stream opens last. Once it responds, everything that a load costs is counted.
  const reload = async () => {
    const streams = page.waitForResponse((response) => response.url().includes('/events/stream'))
    await page.reload()
    await isComplete()
    await streams
  }
  await page.addInitScript(recordDrawing)
  await reload()
  const requested: string[] = []
  page.on('request', (request: Request) => {
    if (request.headers()['x-api-key']) requested.push(new URL(request.url()).pathname)
  })
  const before = await left(client)
  await reload()
  expect(before - (await left(client))).toBe(4)
  // Reading the limits is free.
  expect(requested.toSorted()).toEqual(['/events', '/events/stream', '/limits', '/store/summary', '/usage'])
  expect(await page.getByRole('list', { name: 'Latest events' }).getByRole('listitem').count()).toBe(10)
  await page.getByRole('list', { name: 'Latest events' }).getByText('just now').first().waitFor()
  // The charts start at zero, and draw what is stacked on top first, so that the rest covers it.
  const colours = (await page.evaluate(`['red', 'accent', 'blue'].map((name) => {
    const context = document.createElement('canvas').getContext('2d')
    document.body.style.outlineColor = 'var(--' + name + ')'
    context.fillStyle = getComputedStyle(document.body).outlineColor
    return context.fillStyle
  })`)) as string[]
  await eventually(async () => (await drawnOn(page)).join(' ').includes(colours.join(' ')))
  expect(await drawnOn(page)).toContain('0')
  expect(faults()).toEqual([])
})

inBrowser('the lines of a chart are at round numbers', async () => {
  const client = await service.newClient({ plan: 'business', preset: 'admin' })
  await flood(client, 300)
  await using opened = await openSignedIn(service, { secret: client.secret })
  const { page } = opened
  await page.addInitScript(recordDrawing)
  await page.reload()
  await eventually(async () => (await drawnOn(page)).join(' ').includes('0 100 200 300'))
})

inBrowser(
  'the figures are those of the last day, with the change since the day before, and each is a link',
  async () => {
    await recordHour(service.context.db, service.clock.now())
    const { body: was } = await service.admin.get('/store/summary')
    service.clock.advance(dayMs)
    const petId = await service.admin.newPet(9)
    await service.admin.post('/store/orders', { petId, quantity: 3, complete: true })
    await service.admin.post('/store/orders', { petId, quantity: 1 })
    await using opened = await openSignedIn(service)
    const { page, faults } = opened
    await figure(page, 'Open orders').getByText('1 more than the day before').waitFor()
    await figure(page, 'Pets available')
      .getByText(String(was.petsByStatus.available + 1), { exact: true })
      .waitFor()
    await figure(page, 'Pets available').getByText('1 more than the day before').waitFor()
    await figure(page, 'Running low').getByText('same as the day before').waitFor()
    await figure(page, 'Sold in 24 hours').getByText('3', { exact: true }).waitFor()
    const soldBefore = was.hours.reduce((sum: number, { unitsSold }: { unitsSold: number }) => sum + unitsSold, 0)
    expect(soldBefore).toBeGreaterThan(3)
    await figure(page, 'Sold in 24 hours')
      .getByText(`${soldBefore - 3} fewer than the day before`)
      .waitFor()

    // By keyboard to the pets that run low: the list has as many as the figure says.
    await figure(page, 'Running low').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Inventory' }).waitFor()
    expect(page.url()).toEndWith('/console/inventory?maxQuantity=2')
    await page.getByRole('table', { name: 'Inventory' }).locator('tbody tr').first().waitFor()
    expect(await page.getByRole('table', { name: 'Inventory' }).locator('tbody tr').count()).toBe(was.lowStock)
    await page.goBack()
    await figure(page, 'Open orders').click()
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
    expect(page.url()).toEndWith('/console/orders?complete=false')
    expect(faults()).toEqual([])
  },
)

inBrowser('the overview follows the orders of other clients, and its charts are tables, too', async () => {
  await using opened = await openSignedIn(service)
  const { page, faults } = opened
  await page.getByText('Show as table').nth(1).waitFor()
  for (const summary of await page.getByText('Show as table').all()) await summary.click()
  const sum = `[...document.querySelectorAll('[aria-label="Orders, last 24 hours"] tbody td:nth-of-type(1)')]
    .reduce((total, cell) => total + Number(cell.textContent), 0)`
  const before = Number(await page.evaluate(sum))
  const petId = await service.admin.newPet(5)
  for (let count = 0; count < 3; count++) await service.admin.post('/store/orders', { petId })
  await waitUntil(page, `${sum} === ${before + 3}`)
  await page.getByRole('list', { name: 'Latest events' }).getByText('order.placed').first().waitFor()
  // The chart has a tooltip, too.
  await page.locator('.u-over').first().hover()
  await page.locator('.tip').first().getByText('placed').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('banned keys, failing webhooks and empty stock need attention, each with what to do', async () => {
  await using receiver = await startReceiver(500)
  const webhook = await newWebhook(service.admin, `${receiver.url}/in`, { events: ['order.updated'] })
  await service.admin.post(`${webhook.path}/ping`)
  // As many pets without stock as webhooks that fail.
  const { body: empty } = await service.admin.get('/store/inventory?maxQuantity=0&limit=100')
  for (const { petId } of empty.slice(1)) await service.admin.put(`/store/inventory/${petId}`, { quantity: 3 })
  await eventually(async () => (await service.admin.get('/store/summary')).body.failingWebhooks.length === 1)
  const limits = { perMinute: 2, perDay: 1_000 }
  const noisy = await service.newClient({ name: 'Noisy', plan: 'enterprise', limits, scopes: ['pets:read'] })
  await using opened = await openSignedIn(service)
  const { page, faults } = opened
  const attention = page.getByRole('list', { name: 'Needs attention' })
  await attention.getByText(/pets? ha(s|ve) nothing in stock/).waitFor()
  expect(await attention.getByText('Noisy').count()).toBe(0)
  // The ban appears while the overview is open.
  await getBanned(service, noisy)
  await attention.getByText('Noisy is banned').waitFor()
  await attention.getByRole('link', { name: `${receiver.url}/in`, exact: true }).waitFor()

  await attention.getByRole('button', { name: 'Lift the ban of Noisy' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Ban lifted.').waitFor()
  await attention.getByText('Noisy').waitFor({ state: 'detached' })
  expect((await service.admin.get(`/keys/${noisy.keyId}`)).body.ban).toBeUndefined()
  await waitForFocus(page, 'Overview')

  await attention.getByRole('link', { name: 'Add stock' }).click()
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  expect(page.url()).toEndWith('/console/inventory?maxQuantity=0')
  await page.goBack()
  await attention.getByRole('link', { name: `Show deliveries to ${receiver.url}/in` }).click()
  await page.getByRole('heading', { name: `${receiver.url}/in` }).waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a key that cannot see the shop gets its own requests and events, and is told why', async () => {
  const { secret } = await service.newClient({ preset: 'reader' })
  await using opened = await openSignedIn(service, { secret })
  const { page, faults } = opened
  await page.getByText('Your key cannot see the figures of the shop').waitFor()
  await page.getByRole('heading', { name: 'Requests of your key' }).waitFor()
  await page.getByRole('list', { name: 'Latest events' }).getByRole('listitem').first().waitFor()
  await figure(page, 'Pets available').waitFor()
  expect(await figure(page, 'Open orders').count()).toBe(0)
  expect(faults()).toEqual([])
})

inBrowser('a page that no one sees sends nothing and holds no stream; it goes on when it is seen again', async () => {
  await using opened = await openSignedIn(service)
  const { page } = opened
  // The clock is replaced before the page starts its intervals, so that they follow it.
  await page.clock.install()
  const opensStream = (url: string) => url.endsWith('/events/stream')
  const streamOpened = page.waitForResponse((response) => opensStream(response.url()))
  await page.reload()
  await figure(page, 'Running low').waitFor()
  await streamOpened
  await page.clock.pauseAt(Date.now() + 1_000)
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
  for (let times = 0; times < 3; times++) await page.clock.fastForward(reloadMs)
  expect(started).toEqual([])
  await show(false)
  await eventually(async () => started.some(opensStream))
  await eventually(async () => {
    await page.clock.runFor(1_000)
    return started.some((path) => !opensStream(path))
  })
})
