import { afterAll, beforeAll, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { guides } from '../../src/pages/guides.ts'
import { inChromium, open, theBrowser } from '../harness/browser.ts'
import { type Service, startService } from '../harness/service.ts'

const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
// One page of each kind; the guides are all built alike.
const kinds = [
  '/',
  '/docs',
  '/errors',
  '/status',
  '/docs/guides',
  '/docs/none',
  '/docs/guides/orders-and-stock',
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

let service: Service
beforeAll(async () => {
  service = await startService({ env: { SAMPLE_DATA: 'true' } })
})
afterAll(async () => {
  await service?.stop()
})

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** The serious accessibility faults of a page, or of a part of it. */
async function faultsOf(page: Page, part = 'html'): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(`axe.run('${part}', { resultTypes: ['violations'] })`)) as {
    violations: Violation[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

for (const scheme of ['light', 'dark'] as const) {
  for (const path of scheme === 'light' ? paths : kinds) {
    inChromium(`axe finds no serious fault on ${path} (${scheme})`, async () => {
      const { page, close } = await open(service.url + path, { scheme })
      // Operations are all made alike: one of each sort is looked at, what is folded away too.
      await page.evaluate(`for (const operation of document.querySelectorAll('.operation')) {
        if (!${JSON.stringify(sorts)}.includes(operation.getAttribute('aria-labelledby'))) operation.remove()
        for (const details of operation.querySelectorAll('details')) details.open = true
      }`)
      expect(await faultsOf(page)).toEqual([])
      await close()
    })
  }

  inChromium(`axe finds no serious fault in the search, in an answer and in a question (${scheme})`, async () => {
    const { page, close } = await open(`${service.url}/docs`, { scheme })
    await page.keyboard.press('/')
    await page.fill('#search', 'stock')
    await page.locator('#found [role=option]').first().waitFor()
    expect(await faultsOf(page, 'dialog.search')).toEqual([])
    await page.keyboard.press('Escape')

    await page.fill('#key', service.adminSecret)
    const list = page.locator('section[aria-labelledby="listPets"]')
    await list.locator('.try > summary').click()
    await list.locator('.buttons button').first().click()
    await list.locator('.answer-body pre').waitFor()
    await list.locator('[data-status="400"]').click()
    expect(await faultsOf(page, 'section[aria-labelledby="listPets"]')).toEqual([])

    const remove = page.locator('section[aria-labelledby="deletePet"]')
    await remove.locator('.try > summary').click()
    await remove.locator('.buttons button').first().click()
    await page.locator('dialog.confirm').waitFor()
    expect(await faultsOf(page, 'dialog.confirm')).toEqual([])
    await close()
  })
}

for (const width of [320, 390, 768, 1440]) {
  inChromium(`no page is wider than a window of ${width} pixels, and nothing moves while it loads`, async () => {
    const { page, faults, close } = await open(service.url, { width })
    for (const path of paths) {
      await page.goto(service.url + path)
      expect(`${path} ${await page.evaluate('document.documentElement.scrollWidth')}`).toBe(`${path} ${width}`)
      const shift = await page.evaluate(`new Promise((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 100)
      })`)
      expect(shift).toBeLessThan(0.01)
    }
    // No other host was asked, no policy broken, no error written; that a page is not there is one of the pages.
    expect(faults.filter((fault) => !fault.includes('404 (Not Found)'))).toEqual([])
    await close()
  })
}

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
    const { shift, bytes } = (await page.evaluate(`new Promise((resolve) => {
    let shift = 0
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value }).observe({ type: 'layout-shift', buffered: true })
    const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    setTimeout(() => resolve({ shift, bytes: loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) }), 100)
  })`)) as { shift: number; bytes: number }
    expect(shift).toBeLessThan(0.01)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(60_000)
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
