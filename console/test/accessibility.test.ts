import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { findSeriousFaults } from '../../server/test/harness/axe.ts'
import { startService, testClock } from '../../server/test/harness/service.ts'
import { inBrowser, lengthenTimers, type OpenPage, openConsole, openSignedIn } from './harness.ts'

const service = await startService({ clock: testClock(Date.now()), env: { SAMPLE_DATA: 'true' } })
await service.admin.post('/webhooks', { url: 'https://shop.example/hooks', events: ['order.*'] })
// A delivery, with its button.
await service.admin.post('/webhooks/1/ping')
afterAll(() => service.stop())

/** Every screen, and every dialog that has an address. */
const paths = [
  '',
  '/pets',
  '/pets?q=none+has+this+name',
  '/pets?do=new',
  '/pets?do=import',
  '/pets?do=export',
  '/pets/17',
  '/pets/999999',
  '/categories',
  '/categories?do=new',
  '/orders',
  '/orders?do=new',
  '/orders?state=cancelled',
  '/orders/5',
  '/inventory',
  '/inventory?do=low-stock',
  '/inventory?mode=count',
  '/keys',
  '/keys?do=new',
  '/keys/1',
  '/webhooks',
  '/webhooks?do=new',
  '/webhooks/1',
  '/activity',
  '/events',
  '/events?about=pet+17',
  '/nowhere',
]

/** One tab, loaded and signed in once, for all screens: both take longer than most checks. */
let sharedTab: Promise<OpenPage> | undefined
afterAll(async () => (await sharedTab)?.[Symbol.asyncDispose]())

const followLink = (page: Page, path: string) =>
  page.evaluate(`document.body.append(Object.assign(document.createElement('a'), { href: '/console${path}' }))
  document.body.lastChild.click()
  document.body.lastChild.remove()`)

/** Opens a screen as a link to it does. It is checked in both colour schemes and several window sizes. */
async function openScreen(path: string): Promise<Page> {
  sharedTab ??= openSignedIn(service)
  const { page } = await sharedTab
  // The clock stands still, so advance it: a key may read its limits sixty times a minute.
  service.clock.advance(3_000)
  // A screen in between, so that the requested one starts without data.
  const between = page.getByRole('heading', { name: 'Page not found' })
  await followLink(page, '/nowhere')
  await between.waitFor()
  if (path === '/nowhere') return page
  await followLink(page, path)
  await between.waitFor({ state: 'detached' })
  await waitUntilLoaded(page)
  return page
}

/** Waits until everything is loaded. */
async function waitUntilLoaded(page: Page): Promise<void> {
  await page.locator('main h1, [role="alert"]').first().waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
}

inBrowser('axe finds no serious fault on the sign-in', async () => {
  await using opened = await openConsole(service)
  await opened.page.locator('#key').waitFor()
  expect(await findSeriousFaults(opened.page, { inDarkToo: true, narrowToo: true })).toEqual([])
})

/** No serious fault in both colour schemes, and nothing wider than a narrow window. */
async function expectAccessible(page: Page, part = 'html'): Promise<void> {
  for (const width of [320, 390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  }
  expect(await findSeriousFaults(page, { part, inDarkToo: true, narrowToo: true })).toEqual([])
}

/** The screen behind a dialog is checked separately, without the dialog. */
const openDialog = 'dialog[open]'

for (const path of paths) {
  const name = path || 'the overview'
  inBrowser(`axe finds no serious fault on ${name}, and it is not wider than its window`, async () => {
    const page = await openScreen(path)
    if (!path.includes('do=')) return expectAccessible(page)
    await page.locator(openDialog).waitFor()
    await expectAccessible(page, openDialog)
  })
}

inBrowser(
  'axe finds no serious fault in edits, pending rows, questions and the palette, which have no address',
  async () => {
    await using opened = await openSignedIn(service)
    const { page } = opened
    // Stopping the clock is no alternative: axe does not run then.
    await lengthenTimers(page)
    await page.goto(`${service.url}/console/pets/17`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Adjust' }).click()
    expect(await findSeriousFaults(page, { inDarkToo: true, narrowToo: true })).toEqual([])
    await page.goto(`${service.url}/console/pets`)
    await page.getByRole('button', { name: 'Edit Bella' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Bella the half typed')
    await page.getByRole('button', { name: 'Delete Thumper' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select Bella' }).check()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Orders' }).dispatchEvent('click')
    await page.getByRole('dialog', { name: 'Discard what you typed?' }).waitFor()
    await expectAccessible(page, openDialog)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.keyboard.press('Control+k')
    await page.locator('.palette [role="option"]').first().waitFor()
    await expectAccessible(page, openDialog)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await expectAccessible(page, openDialog)
  },
)

inBrowser('axe finds no serious fault in the check of an import, and in a change of many pets', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?do=import' })
  const { page } = opened
  const content = 'Animal,Species,Qty,Notes\nRex,Dogs,3,barks\nNessie,Monsters,many,shy\nKaa,Snakes,1,\n'
  const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
  await page.getByLabel('File').setInputFiles(file)
  await page.getByText('2 pets to create, 1 line rejected.').waitFor()
  await expectAccessible(page)
  await page.goto(`${service.url}/console/pets`)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Set stock…' }).click()
  await page.getByRole('dialog', { name: /Set the stock of/ }).waitFor()
  await expectAccessible(page)
})

inBrowser(
  'axe finds no serious fault on the screen of an order that will be cancelled, or in a rejection',
  async () => {
    const { body: order } = await service.admin.post('/store/orders', { petId: 1 })
    await using opened = await openSignedIn(service)
    const { page } = opened
    await lengthenTimers(page)
    await page.goto(`${service.url}/console/orders/${order.id}`)
    await page.getByRole('button', { name: 'Cancel order' }).waitFor()
    await page.getByRole('button', { name: 'Cancel order' }).click()
    await page.getByText('Will be cancelled').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Categories' }).dispatchEvent('click')
    await page.getByRole('button', { name: 'Delete Dogs' }).click()
    await page.getByText('This category has pets').waitFor()
    await expectAccessible(page)
  },
)

inBrowser('axe finds no serious fault in what a limited key is told', async () => {
  const { secret } = await service.newClient({ preset: 'client' })
  await using opened = await openSignedIn(service, { secret, path: '/pets/17' })
  const { page } = opened
  for (const path of ['/pets/17', '/orders', '']) {
    await page.goto(`${service.url}/console${path}`)
    await page.getByText('Your key cannot see').first().waitFor()
    await waitUntilLoaded(page)
    await expectAccessible(page)
  }
})

inBrowser('axe finds no serious fault in the menus of a list', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?sort=name' })
  const { page } = opened
  for (const menu of await page.locator('.filters .menu > summary').all()) {
    await menu.click()
    if ((await menu.innerText()) === 'Views') {
      await page.getByLabel('Save this view as').fill('By name')
      await page.keyboard.press('Enter')
      await page.getByRole('list', { name: 'Saved views' }).waitFor()
    }
    await expectAccessible(page)
  }
})
