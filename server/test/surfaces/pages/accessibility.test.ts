import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { petShop } from '../../../src/shop/index.ts'
import { readGuides } from '../../../src/surfaces/pages/guides.ts'
import { findSeriousFaults } from '../../harness/axe.ts'
import { inChromium, open, theBrowser, type Watched } from '../../harness/browser.ts'
import { startService } from '../../harness/service.ts'

const guides = readGuides(petShop.guides).flatMap((part) => part.guides)

// Every kind of page; the guides are all made alike.
const kinds = [
  '/',
  '/docs',
  '/errors',
  '/status',
  '/docs/guides',
  '/docs/none',
  '/docs/guides/pets-and-stock',
  '/docs/guides/limits',
]
const sorts = ['listPets', 'createPets', 'getPet', 'deletePet', 'listOrders', 'placeOrder', 'getUsage']
const paths = [
  '/',
  '/docs',
  '/errors',
  '/status',
  '/docs/guides',
  '/docs/none',
  ...guides.map(({ name }) => `/docs/guides/${name}`),
]

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(async () => {
  await service?.stop()
})

/** Removes all other operations from the page: axe walks the whole page, even to check a part of it. */
const keepOperations = (page: Page, names: readonly string[]) =>
  page.evaluate(`dispatchEvent(new Event('beforeprint'))
  for (const operation of document.querySelectorAll('.operation')) {
    if (!${JSON.stringify(names)}.includes(operation.getAttribute('aria-labelledby'))) operation.remove()
  }`)

const widths = [320, 390, 768, 1440]

const layoutShift = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 100)
})`

/** One tab for all pages: a new one costs more than most pages. */
let sharedTab: Promise<Watched> | undefined
afterAll(async () => (await sharedTab)?.close())

// Each page is loaded once, then checked in every width and colour scheme.
for (const path of paths) {
  inChromium(
    `nothing moves while ${path} loads, axe finds no serious fault, and it is not wider than its window`,
    async () => {
      sharedTab ??= open(`${service.url}/healthz`)
      const { page, faults } = await sharedTab
      faults.length = 0
      await page.goto(service.url + path)
      expect(await page.evaluate(layoutShift)).toBeLessThan(0.01)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      }
      // Operations are all built alike: check one of each kind, including its collapsed parts.
      await keepOperations(page, sorts)
      await page.evaluate("for (const details of document.querySelectorAll('.operation details')) details.open = true")
      expect(await findSeriousFaults(page, { inDarkToo: true, narrowToo: true })).toEqual([])
      // No request to another host, no policy violation, no error in the console; one of the pages is the one for a missing page.
      expect(faults.filter((fault) => !fault.includes('404 (Not Found)'))).toEqual([])
    },
  )
}

inChromium('axe finds no serious fault in the search, in a response and in a question', async () => {
  const { page, close } = await open(`${service.url}/docs`)
  await keepOperations(page, ['listPets', 'deletePet'])
  const faultsIn = (part: string) => findSeriousFaults(page, { part, inDarkToo: true, narrowToo: true })
  await page.keyboard.press('/')
  await page.fill('#search', 'stock')
  await page.locator('#found [role=option]').first().waitFor()
  expect(await faultsIn('dialog.search')).toEqual([])
  await page.keyboard.press('Escape')

  await page.fill('#key', service.adminSecret)
  const list = page.locator('section[aria-labelledby="listPets"]')
  await list.locator('.try > summary').click()
  await list.locator('.buttons button').first().click()
  await list.locator('.response-body pre').waitFor()
  await list.locator('[data-status="400"]').click()
  expect(await faultsIn('section[aria-labelledby="listPets"]')).toEqual([])

  const remove = page.locator('section[aria-labelledby="deletePet"]')
  await remove.locator('.try > summary').click()
  await remove.locator('.buttons button').first().click()
  await page.locator('dialog.confirm').waitFor()
  expect(await faultsIn('dialog.confirm')).toEqual([])
  await close()
})

inChromium('nothing moves while a page loads in a window of 390 pixels', async () => {
  const { page, close } = await open(service.url, { width: 390 })
  for (const path of kinds) {
    await page.goto(service.url + path)
    expect([path, ((await page.evaluate(layoutShift)) as number) < 0.01]).toEqual([path, true])
  }
  await close()
})

inChromium('nothing moves when the rest of a table arrives later than its first rows', async () => {
  const path = '/docs/guides/event-deliveries'
  const html = await (await fetch(service.url + path)).text()
  const middle = html.indexOf('<tr>', html.indexOf('>category.deleted<'))
  const firstRowsShown = Promise.withResolvers<void>()
  async function* halves() {
    yield html.slice(0, middle)
    await firstRowsShown.promise
    yield html.slice(middle)
  }
  using slow = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const { status, headers, body } = await fetch(service.url + pathname)
      const type = { 'Content-Type': headers.get('Content-Type') ?? '' }
      return new Response(pathname === path ? halves() : body, { status, headers: type })
    },
  })
  const { page, close } = await open(`${service.url}/healthz`)
  await page.goto(slow.url.origin + path, { waitUntil: 'commit' })
  await page.getByText('category.deleted').waitFor({ state: 'attached' })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  firstRowsShown.resolve()
  await page.waitForLoadState()
  expect(await page.evaluate(layoutShift)).toBeLessThan(0.01)
  await close()
})

inChromium('the keyboard reaches the content, the key and the try-it panels, and shows where it is', async () => {
  const { page, close } = await open(`${service.url}/docs`)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.id')).toBe('key')
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')

  await page.locator('section[aria-labelledby="listPets"] .try > summary').focus()
  await page.keyboard.press('Enter')
  expect(await page.locator('section[aria-labelledby="listPets"] .try form').isVisible()).toBe(true)
  await close()
})

inChromium(
  'with another language chosen nothing moves either, and the first load of the reference is small',
  async () => {
    const { page, close } = await open(`${service.url}/`)
    await page.evaluate("localStorage.setItem('petstore.language', 'python')")
    await page.goto(`${service.url}/docs`)
    expect(await page.evaluate(layoutShift)).toBeLessThan(0.01)
    const bytes =
      await page.evaluate(`[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(80_000)
    await close()
  },
)

inChromium('without scripts the reference can be read: every language, every field, every error', async () => {
  const context = await (await theBrowser()).newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${service.url}/docs#placeOrder`)
  const order = page.locator('section[aria-labelledby="placeOrder"]')
  expect(await order.locator('.sample pre:visible').count()).toBe(3)
  expect(await order.locator('.response pre:visible').innerText()).toContain('"petId"')
  expect(await order.locator('.codes').innerText()).toContain('insufficient_stock')
  expect(await page.locator('.copy:visible, .tabs:visible, .search-open:visible').count()).toBe(0)
  await context.close()
})
