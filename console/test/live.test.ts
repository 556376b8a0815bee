import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../server/test/harness/eventually.ts'
import { getBanned } from '../../server/test/harness/flood.ts'
import { testClock } from '../../server/test/harness/service.ts'
import { startReceiver } from '../../server/test/platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../../server/test/platform/webhooks/shop.ts'
import {
  inBrowser,
  lengthenTimers,
  openConsole,
  openSignedIn,
  pauseClock,
  row,
  stopClock,
  typeKey,
  waitForFocus,
} from './harness.ts'

const service = await startShop({ clock: testClock(Date.now()) })
afterAll(() => service.stop())

const rename = (id: number, name: string) => service.admin.patch(`/pets/${id}`, { name })

/** Longer than it takes to reload a list, to see that it was not. */
const reloadMs = 1_500

/** Counts the requests for data that the page sends from now on. */
function countRequests(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.url().startsWith(service.url) && request.headers()['x-api-key']) count++
  })
  return () => count
}

for (const [screen, path] of [
  ['the list of events', '/events'],
  ['the overview', ''],
] as const)
  inBrowser(`${screen} follows again once its key has a stream left`, async () => {
    const shop = await startShop({ env: { EVENT_STREAMS_PER_KEY: '1' } })
    try {
      const taken = await fetch(`${shop.url}/events/stream`, { headers: { 'X-API-Key': shop.adminSecret } })
      const reader = taken.body?.getReader()
      await reader?.read()
      await using opened = await openConsole(shop, { path })
      const { page } = opened
      // So high that all of the overview is seen.
      await page.setViewportSize({ width: 1280, height: 3000 })
      await page.clock.install()
      await typeKey(page, shop.adminSecret)
      const fault = page.getByRole('main').locator('.failure')
      await fault.waitFor()
      await pauseClock(page)
      await shop.admin.newCategory('Missed')
      await reader?.cancel()
      await eventually(async () => {
        await page.clock.runFor(30_000)
        return (await fault.count()) === 0
      })
      await shop.admin.newCategory('Followed')
      await page.getByText('Followed').first().waitFor()
      await eventually(async () => {
        await page.clock.runFor(1_000)
        return (await page.getByText('Missed').count()) > 0
      })
    } finally {
      await shop.stop()
    }
  })

inBrowser('lists and items follow what other clients do', async () => {
  const petId = await service.admin.newPet(5)
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page, faults } = opened
  await row(page, 'Rex').first().waitFor()
  await rename(petId, 'Renamed elsewhere')
  await row(page, 'Renamed elsewhere').waitFor()
  await page.getByRole('link', { name: 'Renamed elsewhere' }).click()
  await page.getByRole('heading', { name: 'Renamed elsewhere' }).waitFor()
  await service.admin.put(`/store/inventory/${petId}`, { quantity: 41 })
  await page
    .getByText(/\b41\b/)
    .first()
    .waitFor()

  await page.getByRole('link', { name: 'Categories' }).click()
  await page.getByRole('heading', { name: 'Categories' }).waitFor()
  await service.admin.newCategory('Newts')
  await row(page, 'Newts').waitFor()

  await page.getByRole('link', { name: 'Inventory' }).click()
  await row(page, 'Renamed elsewhere').waitFor()
  await rename(petId, 'Renamed again')
  await row(page, 'Renamed again').waitFor()

  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  // Only what the list shows makes it load again, and several events together do so once.
  await page.locator('.loading').waitFor({ state: 'detached' })
  await stopClock(page)
  const loads: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/store/orders') loads.push(request.url())
  })
  await rename(petId, 'Ordered')
  const { body: order } = await service.admin.post('/store/orders', { petId, quantity: 7 })
  const link = page.getByRole('link', { name: String(order.id), exact: true }).first()
  await eventually(async () => {
    await page.clock.runFor(500)
    return link.isVisible()
  })
  expect(loads).toHaveLength(1)
  await page.clock.resume()
  await link.click()
  await page.getByRole('heading', { name: `Order ${order.id}` }).waitFor()
  await service.admin.patch(`/store/orders/${order.id}`, { complete: true })
  await page.getByText('completed', { exact: true }).waitFor()
  expect(faults()).toEqual([])
})

inBrowser('the new name of a category is shown with its pets and their stock', async () => {
  const petId = await service.admin.newPet(5)
  const { category } = (await service.admin.get(`/pets/${petId}/profile`)).body
  await using stock = await openSignedIn(service, { path: '/inventory' })
  await using pet = await openSignedIn(service, { path: `/pets/${petId}` })
  for (const { page } of [stock, pet]) await page.getByText(category.name, { exact: true }).first().waitFor()
  await service.admin.patch(`/categories/${category.id}`, { name: 'Renamed kind' })
  for (const { page } of [stock, pet]) await page.getByText('Renamed kind').first().waitFor()
})

inBrowser('the ban of a key and the state of a webhook follow', async () => {
  const limits = { perMinute: 2, perDay: 1_000 }
  const noisy = await service.newClient({ name: 'Noisy', plan: 'enterprise', limits, scopes: ['pets:read'] })
  await using opened = await openSignedIn(service, { path: '/keys' })
  const { page, faults } = opened
  await row(page, 'Noisy').getByText('active').waitFor()
  await getBanned(service, noisy)
  await row(page, 'Noisy').getByText('banned').waitFor()
  await page.getByRole('link', { name: 'Noisy' }).click()
  await page.getByRole('button', { name: 'Lift the ban' }).waitFor()
  await service.admin.delete(`/keys/${noisy.keyId}/ban`)
  await page.getByRole('button', { name: 'Lift the ban' }).waitFor({ state: 'detached' })

  await using receiver = await startReceiver(410)
  const webhook = await newWebhook(service.admin, receiver.url)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await row(page, receiver.url).getByText('active').waitFor()
  await service.admin.post(`${webhook.path}/ping`)
  await row(page, receiver.url).getByText('off').waitFor()

  // So do those of another key, on its page.
  const other = await service.newClient({ name: 'Other', scopes: ['webhooks:manage'] })
  const others = await newWebhook(other, `${receiver.url}/others`)
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('link', { name: 'Other' }).click()
  const listed = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem')
  await listed.getByText('active').waitFor()
  await other.post(`${others.path}/ping`)
  await listed.getByText('off').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a reload keeps the focus, the selection, typed input and the row that can be undone', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => service.admin.newPet()))
  for (const [index, id] of ids.entries()) await rename(id, `Kept ${index}`)
  await using opened = await openSignedIn(service, { path: '/pets?q=Kept' })
  const { page, faults } = opened
  await lengthenTimers(page)
  await page.reload()
  await page.getByRole('checkbox', { name: 'Select Kept 0' }).check()
  await page.getByRole('button', { name: 'Edit Kept 1' }).focus()
  await rename(ids[2] ?? 0, 'Kept by name')
  await row(page, 'Kept by name').waitFor()
  await waitForFocus(page, 'Edit Kept 1')
  expect(await page.getByRole('checkbox', { name: 'Select Kept 0' }).isChecked()).toBeTrue()

  // Rows stay as they are while one of them is edited, so that none moves away; afterwards they follow.
  await page.keyboard.press('Enter')
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Half typed')
  await rename(ids[2] ?? 0, 'Kept and renamed')
  await Bun.sleep(reloadMs)
  expect(await name.inputValue()).toBe('Half typed')
  await waitForFocus(page, '')
  expect(await row(page, 'Kept and renamed').count()).toBe(0)
  await name.fill('Kept 1')
  await row(page, 'Kept and renamed').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Delete Kept 1' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await rename(ids[2] ?? 0, 'Kept to the end')
  await Bun.sleep(reloadMs)
  expect(await row(page, 'Kept to the end').count()).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.mouse.move(0, 0)
  await row(page, 'Kept to the end').waitFor()
  await row(page, 'Kept 1').waitFor()
  expect(faults()).toEqual([])
})

inBrowser(
  'an edit that began before another client’s change is told of it, although the screen has followed',
  async () => {
    const petId = await service.admin.newPet(3)
    const { body: order } = await service.admin.post('/store/orders', { petId, quantity: 1 })
    await using opened = await openSignedIn(service, { path: `/orders/${order.id}` })
    const { page, faults } = opened
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Quantity').fill('3')
    await service.admin.patch(`/store/orders/${order.id}`, { quantity: 2 })
    // The history beside the form shows that the screen has followed.
    await page.getByRole('list', { name: 'History' }).getByText('1 → 2').waitFor()
    expect(await page.getByLabel('Quantity').inputValue()).toBe('3')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else changed this').waitFor()
    expect((await service.admin.get(`/store/orders/${order.id}`)).body.quantity).toBe(2)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await service.admin.get(`/store/orders/${order.id}`)).body.quantity).toBe(3)
    expect(faults()).toEqual([])
  },
)

inBrowser('screens that were left cost a small key nothing: it goes on following', async () => {
  const client = await service.newClient({ plan: 'free', preset: 'staff' })
  // As below: the budget does not grow while this runs.
  service.clock.set(Date.now() + 300_000)
  await using opened = await openSignedIn(service, { path: '/categories', secret: client.secret })
  const { page } = opened
  for (const name of ['Inventory', 'Orders', 'Pets', 'Categories']) {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  await page.mouse.move(0, 0)
  for (const name of ['Followed once', 'Followed twice']) {
    await service.admin.newCategory(name)
    await row(page, name).waitFor()
  }
})

inBrowser('many changes cost a small key few requests, and one stream carries them all', async () => {
  const petId = await service.admin.newPet()
  const client = await service.newClient({ plan: 'free', preset: 'staff' })
  // The key's minute ends minutes later by the browser's clock, so that its budget grows slowly, however long this takes.
  service.clock.set(Date.now() + 300_000)
  await using opened = await openConsole(service, { path: '/pets?q=Busy' })
  const { page, faults } = opened
  let streams = 0
  page.on('request', (request) => {
    if (request.url().includes('/events/stream')) streams++
  })
  const requests = countRequests(page)
  await typeKey(page, client.secret)
  await page.getByText('No pets match').waitFor()
  await eventually(() => streams === 1)
  await stopClock(page)
  const atStart = requests()
  // Spread over four seconds: without a budget they would be eight reloads, of two requests each.
  for (let count = 0; count < 80; count++) {
    await rename(petId, `Busy ${count}`)
    if (count % 10 === 9) await page.clock.runFor(500)
  }
  await eventually(async () => {
    await page.clock.runFor(500)
    return (await row(page, 'Busy').count()) > 0
  })
  expect(requests() - atStart).toBeLessThanOrEqual(10)
  expect(streams).toBe(1)
  expect(faults()).toEqual([])
})
