import { afterAll, expect } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { recordHour } from '../../server/src/shop/summary/hours.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import { flood, getBanned } from '../../server/test/harness/flood.ts'
import { testClock } from '../../server/test/harness/service.ts'
import { startReceiver } from '../../server/test/platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../../server/test/platform/webhooks/shop.ts'
import { inBrowser, openSignedIn, pauseClock, waitForFocus, waitUntil } from './harness.ts'

const service = await startShop({ clock: testClock(Date.now()), env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const figures = (page: Page) => page.getByRole('list', { name: 'The shop in figures' })
const figure = (page: Page, name: string) => figures(page).getByRole('link', { name })

/** They are loaded when they are on the screen. */
async function latestEvents(page: Page) {
  await page.getByRole('heading', { name: 'Latest events' }).scrollIntoViewIfNeeded()
  return page.getByRole('list', { name: 'Latest events' })
}

/** How many requests of its quota a key has left this minute. Reading this costs nothing. */
const left = async (client: { get(path: string): Promise<{ body: { windows: { remaining: number }[] } }> }) =>
  (await client.get('/limits')).body.windows[0]?.remaining ?? 0

inBrowser('a reload of the overview takes three requests, and two more to show what happened before', async () => {
  const client = await service.newClient({ plan: 'free', preset: 'admin' })
  await using opened = await openSignedIn(service, { secret: client.secret })
  const { page, faults } = opened
  const isComplete = async () => {
    await figure(page, 'Open orders').waitFor()
    await page.locator('[aria-label="Requests per hour, last 24 hours"]').waitFor({ state: 'attached' })
  }
  await isComplete()
  // A new shop has no day before.
  expect(await figures(page).getByText('the day before').count()).toBe(0)
  const reload = async () => {
    // Its response is the last to come.
    const stream = page.waitForResponse((response) => response.url().includes('/events/stream'))
    await page.reload()
    await isComplete()
    await stream
  }
  await reload()
  const requested: string[] = []
  page.on('request', (request: Request) => {
    if (request.headers()['x-api-key']) requested.push(new URL(request.url()).pathname)
  })
  const before = await left(client)
  await reload()
  expect(before - (await left(client))).toBe(3)
  // Reading the limits is free.
  expect(requested.toSorted()).toEqual(['/events/stream', '/limits', '/store/summary', '/usage'])
  requested.length = 0
  const named = page.waitForResponse((response) => response.url().includes('/pets?ids='))
  await (await latestEvents(page)).getByRole('listitem').nth(9).waitFor()
  await named
  expect(requested.toSorted()).toEqual(['/events', '/pets'])
  const latest = page.getByRole('list', { name: 'Latest events' })
  expect(await latest.getByRole('listitem').count()).toBe(10)
  // Completed orders are not stacked on new ones, and a series of zeros is not drawn.
  const plots = page.getByRole('region', { name: 'Orders' }).locator('.plot')
  expect(await plots.count()).toBe(2)
  expect(await page.getByRole('region', { name: 'Orders' }).locator('.legend').allInnerTexts()).toEqual([
    expect.stringMatching(/^new \d+$/),
    expect.stringMatching(/^completed \d+$/),
  ])
  // As late as possible, so that an event is new even if all this took minutes.
  service.clock.set(Date.now())
  await service.admin.newCategory('Newts')
  await latest.getByRole('listitem').filter({ hasText: 'Newts' }).getByText('just now').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('the lines of a chart are at round numbers', async () => {
  const client = await service.newClient({ plan: 'business', preset: 'admin' })
  await flood(client, 300)
  await using opened = await openSignedIn(service, { secret: client.secret })
  const { page } = opened
  const scale = page.getByRole('region', { name: 'Requests' }).locator('.scale').first()
  await scale.getByText('300').waitFor()
  expect((await scale.locator('span').allInnerTexts()).slice(0, 4)).toEqual(['0', '100', '200', '300'])
})

inBrowser(
  'the figures are those of the last day, with the change since the day before, and each is a link',
  async () => {
    const soldId = await service.admin.newPet(20)
    await service.admin.post('/store/orders', { petId: soldId, quantity: 10, complete: true })
    await recordHour(service.context.db, service.clock.now())
    const { body: was } = await service.admin.get('/store/summary')
    service.clock.advance(dayMs)
    const petId = await service.admin.newPet(9)
    // One is placed already complete, one is completed later, and one is open.
    const { body: done } = await service.admin.post('/store/orders', { petId, quantity: 1, complete: true })
    const { body: late } = await service.admin.post('/store/orders', { petId, quantity: 2 })
    await service.admin.patch(`/store/orders/${late.id}`, { complete: true })
    await service.admin.post('/store/orders', { petId, quantity: 1 })
    await using opened = await openSignedIn(service)
    const { page, faults } = opened
    await figure(page, 'Open orders').getByText('1 more than the day before').waitFor()
    await figure(page, 'Pets available')
      .getByText(String(was.petsByStatus.available + 1), { exact: true })
      .waitFor()
    await figure(page, 'Pets available').getByText('1 more than the day before').waitFor()
    await figure(page, 'Running low: 2 or fewer').getByText('same as the day before').waitFor()
    await figure(page, 'Units sold in 24 hours').getByText('3', { exact: true }).waitFor()
    const soldBefore = was.hours.reduce((sum: number, { unitsSold }: { unitsSold: number }) => sum + unitsSold, 0)
    expect(soldBefore).toBeGreaterThan(3)
    await figure(page, 'Units sold in 24 hours')
      .getByText(`${soldBefore - 3} fewer than the day before`)
      .waitFor()

    // The orders counted as sold are those that the list shows.
    await figure(page, 'Units sold in 24 hours').click()
    await page.getByRole('table', { name: 'Completed orders' }).locator('tbody tr').first().waitFor()
    const ids = await page.evaluate(
      "[...document.querySelectorAll('tbody tr')].map(({ dataset }) => Number(dataset.id))",
    )
    expect(ids).toEqual([late.id, done.id])
    await page.goBack()

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
  const sum = `[...document.querySelectorAll('[aria-label="Orders per hour, last 24 hours"] tbody td:nth-of-type(1)')]
    .reduce((total, cell) => total + Number(cell.textContent), 0)`
  const before = Number(await page.evaluate(sum))
  const petId = await service.admin.newPet(5)
  for (let count = 0; count < 3; count++) await service.admin.post('/store/orders', { petId })
  await waitUntil(page, `${sum} === ${before + 3}`)
  await (await latestEvents(page)).getByText('order.placed').first().waitFor()
  // The chart has a tooltip, too.
  await page.locator('.bars > div').first().hover()
  await page.locator('.tip').first().getByText('new').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('banned keys, failing webhooks, empty and low stock need attention, each with what to do', async () => {
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

  await attention.getByRole('button', { name: 'Lift the ban on Noisy' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Ban lifted.').waitFor()
  await attention.getByText('Noisy').waitFor({ state: 'detached' })
  expect((await service.admin.get(`/keys/${noisy.keyId}`)).body.ban).toBeUndefined()
  await waitForFocus(page, 'Overview')

  await attention.getByRole('link', { name: 'Add stock' }).click()
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  expect(page.url()).toEndWith('/console/inventory?maxQuantity=0')
  await page.goBack()
  await attention.getByText(/^\d+ pets? (is|are) running low: 2 or fewer left$/).waitFor()
  await attention.getByRole('link', { name: 'Show stock' }).click()
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  expect(page.url()).toEndWith('/console/inventory?maxQuantity=2')
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
  await (await latestEvents(page)).getByRole('listitem').first().waitFor()
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
  await pauseClock(page)
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
  // Waits until nothing loads. The stream that ended was opened before this test listened, so one more ended than started.
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

inBrowser('the overview shows 7 or 30 days as well, compared with as many before, in as many requests', async () => {
  const shop = await startShop({ clock: testClock(Date.now()) })
  try {
    const petId = await shop.admin.newPet(100)
    // Enough pets that the shop is not new: a new one is also shown its first steps.
    for (let count = 0; count < 9; count++) await shop.admin.newPet()
    const sell = (quantity: number) => shop.admin.post('/store/orders', { petId, quantity, complete: true })
    const record = () => recordHour(shop.context.db, shop.clock.now())
    await record()
    shop.clock.advance(dayMs)
    await sell(5)
    shop.clock.advance(6 * dayMs)
    await shop.admin.post('/store/orders', { petId, quantity: 1 })
    await record()
    shop.clock.advance(2 * dayMs)
    await sell(3)
    shop.clock.advance(5 * dayMs)
    await using opened = await openSignedIn(shop)
    const { page, faults } = opened
    await figure(page, 'Units sold in 24 hours').getByText('0', { exact: true }).waitFor()
    const requested: string[] = []
    page.on('request', (request: Request) => {
      if (request.headers()['x-api-key']) requested.push(new URL(request.url()).pathname)
    })
    await page.getByLabel('Time').selectOption('Last 7 days')
    await figure(page, 'Units sold in 7 days').getByText('3', { exact: true }).waitFor()
    await figure(page, 'Units sold in 7 days').getByText('2 fewer than in the 7 days before').waitFor()
    await figure(page, 'Open orders').getByText('same as 7 days ago').waitFor()
    await page.getByText('Requests per day (UTC), last 7 days').waitFor()
    expect(requested.toSorted()).toEqual(['/store/summary', '/usage'])
    await page.getByText('Show as table').first().click()
    const hourEnd = shop.clock.now() - (shop.clock.now() % hourMs) + hourMs
    const end = await page.evaluate(
      `new Date(${hourEnd}).toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' })`,
    )
    const ordersOf = page.getByRole('table', { name: `Orders per day, each up to ${end}, last 7 days` })
    expect(await ordersOf.locator('tbody tr').count()).toBe(7)
    // Before that there was no shop to compare with.
    expect(await page.getByText('No comparison yet').count()).toBe(0)
    await page.getByLabel('Time').selectOption('Last 30 days')
    await figure(page, 'Units sold in 30 days').getByText('8', { exact: true }).waitFor()
    expect(
      await figures(page)
        .getByText(/more|fewer than|same/)
        .count(),
    ).toBe(0)
    await page.getByText('No comparison yet: 30 days ago, nothing was counted.').waitFor()
    // The choice is in the address.
    await page.reload()
    await figure(page, 'Units sold in 30 days').waitFor()
    expect(faults()).toEqual([])
  } finally {
    await shop.stop()
  }
})

inBrowser('after midnight nothing is sold today, although nothing happened since', async () => {
  const evening = Date.UTC(2026, 10, 18, 23, 30)
  const shop = await startShop({ clock: testClock(evening) })
  try {
    await shop.admin.post('/store/orders', { petId: await shop.admin.newPet(9), quantity: 3, complete: true })
    await using opened = await openSignedIn(shop, { timezoneId: 'UTC' })
    const { page } = opened
    await page.clock.install({ time: evening })
    await page.goto(`${shop.url}/console?days=1`)
    await figure(page, 'Units sold today').getByText('3', { exact: true }).waitFor()
    shop.clock.advance(hourMs)
    await page.clock.fastForward(hourMs)
    await figure(page, 'Units sold today').getByText('0', { exact: true }).waitFor()
  } finally {
    await shop.stop()
  }
})

// Noon in UTC: in Kiritimati it is already the next day.
for (const timezoneId of ['America/Los_Angeles', 'Pacific/Kiritimati']) {
  inBrowser(
    `today and the days of the charts are those of the user in ${timezoneId}, the days of usage those of UTC`,
    async () => {
      const noon = Date.UTC(2026, 10, 18, 12)
      const shop = await startShop({ clock: testClock(noon - dayMs) })
      try {
        const petId = await shop.admin.newPet(100)
        const sell = (quantity: number) => shop.admin.post('/store/orders', { petId, quantity, complete: true })
        await sell(5)
        await recordHour(shop.context.db, shop.clock.now())
        // Later yesterday than it is today.
        shop.clock.advance(2 * hourMs)
        await sell(7)
        shop.clock.advance(dayMs - 2 * hourMs)
        await sell(3)
        await using opened = await openSignedIn(shop, { timezoneId })
        const { page, faults } = opened
        await page.clock.install({ time: noon })
        await page.goto(`${shop.url}/console?days=1`)
        await figure(page, 'Units sold today').getByText('3', { exact: true }).waitFor()
        await figure(page, 'Units sold today').getByText('in 1 order').waitFor()
        await figure(page, 'Units sold today').getByText('2 fewer than yesterday up to this hour').waitFor()
        const local = new Date(noon).toLocaleString('en-US', {
          timeZone: timezoneId,
          hour: 'numeric',
          hourCycle: 'h23',
        })
        // The hours since midnight, with the current one.
        expect(
          await page.getByRole('region', { name: 'Orders' }).locator('.plot').first().locator('.bars > div').count(),
        ).toBe(Number(local) + 1)
        await page.getByLabel('Time').selectOption('Last 7 days')
        await page.getByText('Requests per day (UTC), last 7 days').waitFor()
        const ticksOf = async (name: string) =>
          (await page.getByRole('region', { name, exact: true }).locator('.ticks').first().innerText())
            .split(/\n+/)
            .filter(Boolean)
        const dayOf = (ms: number, timeZone: string) =>
          new Date(ms).toLocaleDateString('en-US', { day: 'numeric', month: 'short', timeZone })
        const week = (timeZone: string) =>
          Array.from({ length: 7 }, (_, index) => dayOf(noon - (6 - index) * dayMs, timeZone))
        await eventually(async () => String(await ticksOf('Orders')) === String(week(timezoneId)))
        expect(await ticksOf('Requests')).toEqual(week('UTC'))
        // Each label is below its bar.
        const middles = (selector: string) =>
          page.evaluate(`[...document.querySelectorAll('[aria-labelledby="orders"] .plot:first-of-type ${selector}')].slice(0, 7).map((each) => {
          const { left, width } = each.getBoundingClientRect()
          return Math.round(left + width / 2)
        })`)
        expect(await middles('.ticks span')).toEqual(await middles('.bars > div'))
        expect(faults()).toEqual([])
      } finally {
        await shop.stop()
      }
    },
  )
}
