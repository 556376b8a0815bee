import { afterAll, expect } from 'bun:test'
import { newSecret } from '../../server/src/platform/keys/secret.ts'
import { getBanned } from '../../server/test/harness/flood.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openConsole, openSignedIn, typeKey } from './harness.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

inBrowser(
  'the key field has the focus; a valid key opens the screen of the address and is kept for this tab only',
  async () => {
    await using opened = await openConsole(service, { path: '/pets?status=sold' })
    const { page, faults } = opened
    await page.locator('#key:focus').waitFor()
    await page.keyboard.type(service.adminSecret)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Cooper' }).waitFor()
    expect(page.url()).toBe(`${service.url}/console/pets?status=sold`)
    expect(await page.evaluate('Object.values(localStorage).join()')).toBe('')
    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate('Object.values(sessionStorage).join()')).toBe(service.adminSecret)

    // A reload stays signed in; signing out forgets everything.
    await page.reload()
    await page.getByRole('link', { name: 'Cooper' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.locator('#key:focus').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.goto(`${service.url}/console/pets?status=sold`)
    await page.locator('#key').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('Cooper')
    expect(faults()).toEqual([])
  },
)

inBrowser('a mistyped key and an invalid key have different messages', async () => {
  await using opened = await openConsole(service)
  const { page } = opened
  const alert = page.getByRole('alert')
  const good = service.adminSecret
  await typeKey(page, `${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`)
  await alert.getByText('This is not an API key').waitFor()
  await typeKey(page, newSecret())
  await alert.getByText('This key does not work here').waitFor()
  await alert.getByText('expired or was revoked').waitFor()
  await alert.getByText('Request').waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})

inBrowser(
  'an expired key makes the console ask for another; the input is kept, and the old key cannot sign in',
  async () => {
    const expiresAt = new Date(service.clock.now() + 60_000).toISOString()
    const { secret } = await service.newClient({ preset: 'staff', expiresAt })
    await using opened = await openSignedIn(service, { secret, path: '/pets/2' })
    const { page } = opened
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Bella the Second')
    service.clock.advance(61_000)
    // The event stream ends with the key, so the dialog may be open already.
    await page.getByRole('button', { name: 'Save' }).dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Your key no longer works' })
    await dialog.waitFor()
    await typeKey(page, secret)
    await dialog.getByText('This key does not work here').waitFor()
    await typeKey(page, service.adminSecret)
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Bella the Second')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Bella the Second' }).waitFor()
  },
)

inBrowser('after another key was entered, the events of one stream are followed', async () => {
  const expiresAt = new Date(service.clock.now() + 60_000).toISOString()
  const { secret } = await service.newClient({ preset: 'staff', expiresAt })
  await using opened = await openSignedIn(service, { secret, path: '/pets/4' })
  const { page } = opened
  await page.getByRole('heading', { level: 1 }).waitFor()
  service.clock.advance(61_000)
  // The event stream ends with the key, so the dialog may be open already.
  await page.getByRole('link', { name: 'Orders' }).dispatchEvent('click')
  const dialog = page.getByRole('dialog', { name: 'Your key no longer works' })
  await dialog.waitFor()
  await typeKey(page, service.adminSecret)
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/events/stream')) streams.push(request.url())
  })
  const opening = page.waitForRequest('**/events/stream*')
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await opening
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  expect(streams).toHaveLength(1)
})

inBrowser('a late response to a replaced key does not ask for another key', async () => {
  const expiresAt = new Date(service.clock.now() + 60_000).toISOString()
  const { secret } = await service.newClient({ preset: 'staff', expiresAt })
  await using opened = await openSignedIn(service, { secret, path: '/pets/3' })
  const { page } = opened
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Late')
  service.clock.advance(61_000)
  const late = Promise.withResolvers<void>()
  await page.route('**/pets/3', async (route) => {
    await late.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save' }).dispatchEvent('click')
  const dialog = page.getByRole('dialog', { name: 'Your key no longer works' })
  await dialog.waitFor()
  await typeKey(page, service.adminSecret)
  await dialog.waitFor({ state: 'detached' })
  const rejected = page.waitForResponse((response) => response.status() === 401)
  late.resolve()
  await rejected
  await page.getByText('This key does not work here').waitFor()
  expect(await dialog.count()).toBe(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Late' }).waitFor()
})

inBrowser('a banned key is shown when its ban ends', async () => {
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 2, perDay: 1_000 } })
  await getBanned(service, client)
  const { until } = (await client.get('/limits')).body.ban
  await using opened = await openConsole(service)
  const { page } = opened
  await typeKey(page, client.secret)
  await page.getByRole('alert').getByText('This key is banned for a while').waitFor()
  const time = await page.evaluate((until) => new Date(until).toLocaleTimeString(), until)
  await page.getByRole('alert').getByText(`works again at ${time}; a key manager can lift the ban now`).waitFor()
  // It is not kept, and the console stays closed.
  expect(await page.locator('#key').count()).toBe(1)
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})

inBrowser('a reader sees the shop, but no controls to change it', async () => {
  const { secret } = await service.newClient({ preset: 'reader' })
  await using opened = await openSignedIn(service, { secret })
  const { page, faults } = opened
  const navigation = page.getByRole('navigation', { name: 'Console' })
  expect((await navigation.getByRole('link').allInnerTexts()).map((text) => text.trim())).toEqual([
    'Overview',
    'Pets',
    'Categories',
    'Inventory',
    'Events',
  ])
  // No other pages are linked.
  expect(await navigation.getByRole('heading', { name: 'More' }).count()).toBe(0)
  for (const [name, expectedLink] of [
    ['Pets', 'Rex'],
    ['Categories', 'Dogs'],
    ['Inventory', 'Rex'],
  ] as const) {
    await navigation.getByRole('link', { name }).click()
    await page.getByRole('link', { name: expectedLink }).first().waitFor()
    // A field that is searched in opens its choices by a button.
    const buttons = await page.locator('main button:not([aria-label="Show the choices"])').allInnerTexts()
    expect(buttons.filter((text) => !/^(Export|ID|Name|Pet|Next page)/.test(text))).toEqual([])
    expect(await page.locator('main').getByRole('checkbox').count()).toBe(0)
  }
  await page.goto(`${service.url}/console/pets/1`)
  await page.getByRole('heading', { name: 'Rex' }).waitFor()
  expect(await page.locator('main').getByRole('button').count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('option').first().waitFor()
  expect(await page.getByRole('option').locator('span:first-child').allInnerTexts()).toEqual([
    'Overview',
    'Pets',
    'Categories',
    'Inventory',
    'Events',
    'Export pets',
    'Documentation: reference',
    'Documentation: guides',
    'Switch between light and dark colours',
    'Keyboard shortcuts',
    'Sign out',
  ])
  await page.goto(`${service.url}/console/keys`)
  await page.getByText('Your key cannot view this.').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a console that could not be loaded says so, and signs in once it can', async () => {
  await using opened = await openConsole(service)
  const { page } = opened
  await page.locator('#key').waitFor()
  await page.route('**/openapi.json', (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').waitFor()
  const failed = page.waitForEvent('requestfailed')
  await typeKey(page, service.adminSecret)
  await failed
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await page.unroute('**/openapi.json')
  await typeKey(page, service.adminSecret)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

const keptKey = "Object.values(localStorage).find((value) => value.includes('ps_'))"

inBrowser('a user who chose so stays signed in, in new tabs too, until they sign out', async () => {
  await using opened = await openConsole(service, { path: '/pets?status=sold' })
  const { page, faults } = opened
  expect(await page.getByLabel('Keep me signed in on this browser').isChecked()).toBe(false)
  await page.getByLabel('Keep me signed in on this browser').check()
  await typeKey(page, service.adminSecret)
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Cooper' }).click({ modifiers: ['Control'] }),
  ])
  await tab.getByRole('heading', { name: 'Cooper' }).waitFor()
  expect(await page.context().cookies()).toEqual([])

  // Signing out in one tab signs out the others.
  await tab.getByRole('button', { name: 'Sign out' }).click()
  for (const signedOut of [tab, page]) await signedOut.locator('#key').waitFor()
  expect(await page.evaluate(keptKey)).toBeUndefined()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await tab.goto(`${service.url}/console/pets`)
  await tab.locator('#key').waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a kept sign-in ends with the key, and 30 days after its last use', async () => {
  const { keyId, secret } = await service.newClient({ preset: 'staff' })
  await using opened = await openConsole(service, { path: '/pets' })
  const { page } = opened
  const context = page.context()
  await page.getByLabel('Keep me signed in').check()
  await typeKey(page, secret)
  await page.locator('.frame').waitFor()

  /** Opens the console in a new tab this many days after the last use. */
  const openAfter = async (days: number) => {
    await page.evaluate(
      `for (const [name, value] of Object.entries(localStorage)) if (value.includes('ps_'))
         localStorage.setItem(name, JSON.stringify({ ...JSON.parse(value), usedAt: Date.now() - ${days} * 86400000 }))`,
    )
    const tab = await context.newPage()
    await tab.goto(`${service.url}/console/pets`)
    return tab
  }
  const used = await openAfter(29)
  await used.locator('.frame').waitFor()
  // Each use counts from the beginning.
  await (await context.newPage()).goto(`${service.url}/console/pets`)
  expect(JSON.parse(await page.evaluate(keptKey)).usedAt).toBeGreaterThan(Date.now() - 86_400_000)
  await (await openAfter(30)).locator('#key').waitFor()
  expect(await page.evaluate(keptKey)).toBeUndefined()

  await page.reload()
  await page.locator('.frame').waitFor()
  expect(await page.evaluate(keptKey)).toBeUndefined()
  await used.evaluate(() => sessionStorage.clear())
  await used.reload()
  await used.getByLabel('Keep me signed in').check()
  await typeKey(used, secret)
  await used.locator('.frame').waitFor()
  await service.admin.delete(`/keys/${keyId}`)
  await used.reload()
  await used.getByRole('alert').getByText('This key does not work here').waitFor()
  expect(await used.evaluate(keptKey)).toBeUndefined()
})
