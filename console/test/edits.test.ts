import { afterAll, expect } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn } from './harness.ts'

// What each edit sends: only what was changed, for the state that was read, with times that stay what they were. The users are far from UTC.

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())
const { admin } = service

const time = '2030-06-30T23:45:00.000Z'
const { body: order } = await admin.post('/store/orders', { petId: 23, quantity: 2, shipDate: time })
const { keyId } = await service.newClient({ name: 'Till', expiresAt: time })
const { body: category } = await admin.post('/categories', { name: 'Newts' })
const { body: webhook } = await admin.post('/webhooks', { url: 'https://shop.example/in', events: ['order.*'] })

interface Edit {
  /** The screen. */
  readonly at: string
  /** The name of the button that opens the form. */
  readonly button: string
  readonly change: (page: Page) => Promise<unknown>
  /** What is edited. */
  readonly path: string
  /** Where its ETag is read, if that is another path. */
  readonly read?: string
  readonly body: object
}

const type = (label: string, text: string) => (page: Page) => page.getByLabel(new RegExp(`^${label}`)).fill(text)

const edits: Record<string, Edit> = {
  'a pet in its row': {
    at: '/pets',
    button: 'Edit Rex',
    change: type('Name', 'Max'),
    path: '/pets/1',
    read: '/pets/1/profile',
    body: { name: 'Max' },
  },
  'a pet on its screen': {
    at: '/pets/2',
    button: 'Edit',
    change: type('Name', 'Belle'),
    path: '/pets/2',
    read: '/pets/2/profile',
    body: { name: 'Belle' },
  },
  'a category': {
    at: '/categories',
    button: 'Edit Newts',
    change: type('Description', 'Wet'),
    path: `/categories/${category.id}`,
    body: { description: 'Wet' },
  },
  'an order that ships': {
    at: `/orders/${order.id}`,
    button: 'Edit',
    change: type('Quantity', '3'),
    path: `/store/orders/${order.id}`,
    body: { quantity: 3 },
  },
  'a key that expires': {
    at: `/keys/${keyId}`,
    button: 'Edit',
    change: type('Name', 'Old till'),
    path: `/keys/${keyId}`,
    body: { name: 'Old till' },
  },
  'a webhook': {
    at: `/webhooks/${webhook.id}`,
    button: 'Edit',
    change: type('URL', 'https://shop.example/new'),
    path: `/webhooks/${webhook.id}`,
    body: { url: 'https://shop.example/new' },
  },
  'when stock is low': {
    at: '/inventory',
    button: 'Change',
    change: type('Running low at', '4'),
    path: '/store/settings',
    body: { lowStockMax: 4 },
  },
}

/** Presses the button and returns what is sent, once it is answered. */
async function sentBy(page: Page, method: string, press: () => Promise<unknown>): Promise<Request> {
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === method),
    press(),
  ])
  expect(response.status()).toBe(200)
  return response.request()
}

for (const [name, { at, button, change, path, read = path, body }] of Object.entries(edits)) {
  inBrowser(`an edit of ${name} sends what was changed, for the state that was read`, async () => {
    await using opened = await openSignedIn(service, { path: at, timezoneId: 'Pacific/Kiritimati' })
    const { page, faults } = opened
    await page.getByRole('button', { name: button, exact: true }).click()
    await change(page)
    const { headers } = await admin.get(read)
    const request = await sentBy(page, 'PATCH', () => page.getByRole('button', { name: 'Save' }).click())
    expect(new URL(request.url()).pathname).toBe(path)
    expect(request.postDataJSON()).toEqual(body)
    expect(request.headers()['if-match']).toBe(headers.get('etag') ?? '')
    expect((await admin.get(read)).body).toMatchObject(body)
    expect(faults()).toEqual([])
  })
}

inBrowser('a form closes once its screen shows what was saved, so the next edit starts from that', async () => {
  await using opened = await openSignedIn(service, { path: '/pets/3' })
  const { page } = opened
  await page.getByRole('button', { name: 'Edit' }).click()
  const name = page.getByLabel('Name')
  await name.fill('Renamed once')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/pets\/3\/profile/, async (route) => {
    await released
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  expect(await name.count()).toBe(1)
  release()
  await page.getByRole('heading', { name: 'Renamed once' }).waitFor()
  await name.waitFor({ state: 'detached' })
})

const places = [
  ['Pacific/Kiritimati', '2030-07-01T13:45'],
  ['America/Los_Angeles', '2030-06-30T16:45'],
] as const

for (const [timezoneId, local] of places) {
  inBrowser(`a time is shown and typed as in ${timezoneId}, and sent as what it is`, async () => {
    const { body: order } = await admin.post('/store/orders', { petId: 23, quantity: 1, shipDate: time })
    await using opened = await openSignedIn(service, { path: `/orders/${order.id}`, timezoneId })
    const { page } = opened
    await page.getByRole('button', { name: 'Edit' }).click()
    const field = page.getByLabel('Ship date')
    expect(await field.inputValue()).toBe(local)
    await field.fill(local.replace(':45', ':15'))
    const request = await sentBy(page, 'PATCH', () => page.getByRole('button', { name: 'Save' }).click())
    expect(request.postDataJSON()).toEqual({ shipDate: time.replace(':45', ':15') })
  })
}

inBrowser('the last one in stock is removed, and then there is none to remove', async () => {
  const petId = await service.admin.newPet(1)
  const { body: pet } = await admin.patch(`/pets/${petId}`, { name: 'Solo' })
  await using opened = await openSignedIn(service, { path: '/inventory?q=Solo' })
  const { page } = opened
  const remove = page.getByRole('button', { name: `Remove one ${pet.name}` })
  const request = await sentBy(page, 'POST', () => remove.click())
  expect(request.postDataJSON()).toEqual({ delta: -1 })
  await page.getByText('Solo: 0 in stock.').waitFor()
  expect(await page.getByLabel('Solo in stock').inputValue()).toBe('0')
  expect(await remove.isDisabled()).toBeTrue()
  await page.getByRole('button', { name: 'Add one Solo' }).click()
  await page.getByText('Solo: 1 in stock.').waitFor()
  await page.locator(':enabled[aria-label="Remove one Solo"]').waitFor()
})

inBrowser('the tabs of a list keep its filters', async () => {
  await using opened = await openSignedIn(service, { path: '/orders?petId=23&placedFrom=2020-01-02&sort=-id' })
  const { page } = opened
  const openTab = async (nav: string, name: RegExp) => {
    await page.getByRole('navigation', { name: nav }).getByRole('link', { name }).click()
    return Object.fromEntries(new URL(page.url()).searchParams)
  }
  const kept = { petId: '23', placedFrom: '2020-01-02', sort: '-id' }
  const orders = 'Orders by state'
  expect(await openTab(orders, /^Completed/)).toEqual({ ...kept, complete: 'true' })
  expect(await openTab(orders, /^Open/)).toEqual({ ...kept, complete: 'false' })
  expect(await openTab(orders, /^Cancelled/)).toEqual({ petId: '23', state: 'cancelled', cancelledFrom: '2020-01-02' })
  expect(await openTab(orders, /^All/)).toEqual({ petId: '23', placedFrom: '2020-01-02' })
  await page.goto(`${service.url}/console/inventory?q=ma&sort=quantity`)
  const stock = 'Stock by amount'
  expect(await openTab(stock, /^None left/)).toEqual({ q: 'ma', sort: 'quantity', maxQuantity: '0' })
  expect(await openTab(stock, /^All/)).toEqual({ q: 'ma', sort: 'quantity' })
})

inBrowser('an address with half a time range or with no time shows what it can', async () => {
  await admin.post('/store/orders', { petId: 23, quantity: 1, complete: true })
  await using opened = await openSignedIn(service, { path: '/orders?complete=true&completedTo=2020-01-01T00:00' })
  const { page, faults } = opened
  const end = page.getByLabel('to', { exact: true })
  expect(await end.inputValue()).toBe('2020-01-01T00:00')
  expect(await page.getByRole('row').count()).toBe(0)
  for (const query of ['placedFrom=2026-11-3', 'complete=true&completedFrom=soon', 'state=cancelled&cancelledTo=x']) {
    await page.goto(`${service.url}/console/orders?${query}`)
    await page.getByRole('navigation', { name: 'Orders by state' }).waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    expect([query, await page.locator('.failure').count()]).toEqual([query, 0])
  }
  expect(faults()).toEqual([])
})

inBrowser('the days of a filter begin and end at midnight, also where the clocks change', async () => {
  const days = [
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['America/New_York', '2027-03-14', '2027-03-14T05:00:00.000Z', '2027-03-15T04:00:00.000Z'],
  ] as const
  for (const [timezoneId, day, from, to] of days) {
    const path = `/orders?placedFrom=${day}&placedTo=${day}`
    await using opened = await openSignedIn(service, { path, timezoneId })
    const { page } = opened
    const asked = page.waitForRequest((request) => request.url().includes('/store/orders?'))
    await page.reload()
    const { searchParams } = new URL((await asked).url())
    expect([searchParams.get('placedFrom'), searchParams.get('placedTo')]).toEqual([from, to])
  }
})
