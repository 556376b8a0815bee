import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { guides } from '../../src/pages/guides.ts'
import { launch, open } from '../harness/browser.ts'
import { type Service, startService } from '../harness/service.ts'

const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
// Every kind of page; the guides are all made alike.
const kinds = [
  '/',
  '/docs',
  '/errors',
  '/docs/guides',
  '/docs/none',
  '/docs/guides/orders-and-stock',
  '/docs/guides/limits',
]
const paths = [
  '/',
  '/docs',
  '/errors',
  '/docs/guides',
  '/docs/none',
  ...guides.map(({ name }) => `/docs/guides/${name}`),
]

let service: Service
let browser: Browser
beforeAll(async () => {
  service = await startService({ env: { SAMPLE_DATA: 'true' } })
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

for (const scheme of ['light', 'dark'] as const) {
  for (const path of scheme === 'light' ? paths : kinds) {
    test(`axe finds no serious fault on ${path} (${scheme})`, async () => {
      const { page, close } = await open(browser, service.url + path, { scheme })
      // What is folded away is looked at too.
      await page.evaluate(
        "for (const details of document.querySelectorAll('.operation:nth-of-type(-n+3) details')) details.open = true",
      )
      await page.evaluate(axe)
      const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
        violations: Violation[]
      }
      const serious = violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
      expect(serious).toEqual([])
      await close()
    })
  }
}

for (const width of [320, 390, 768, 1440]) {
  test(`no page is wider than a window of ${width} pixels, and nothing moves while it loads`, async () => {
    const { page, close } = await open(browser, service.url, { width })
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
    await close()
  })
}

test('the keyboard reaches the content, the key and the try-it panels, and shows where it is', async () => {
  const { page, close } = await open(browser, `${service.url}/docs`)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.id')).toBe('key')
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')

  await page.locator('section[aria-labelledby="listPets"] .try > summary').focus()
  await page.keyboard.press('Enter')
  expect(await page.locator('section[aria-labelledby="listPets"] .try form').isVisible()).toBe(true)
  await close()
})
