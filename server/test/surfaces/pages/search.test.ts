import { afterAll, afterEach, beforeEach, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { inChromium, open, type Watched } from '../../harness/browser.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(async () => {
  await service?.stop()
})

let opened: Watched
let page: Page
beforeEach(async () => {
  opened = await open(`${service.url}/docs`)
  page = opened.page
})
afterEach(async () => {
  await opened.close()
  expect(opened.faults).toEqual([])
})

/** Looks for something by keyboard alone, and opens the first result of a group. */
async function find(words: string, kind: string, expected: RegExp): Promise<void> {
  await page.keyboard.press('/')
  await page.locator('#search').waitFor()
  await page.keyboard.type(words)
  const wanted = `found-${kind}-0`
  await page.locator(`#${wanted}`).waitFor()
  for (let steps = 0; (await page.locator('#search').getAttribute('aria-activedescendant')) !== wanted; steps++) {
    if (steps > 40) throw new Error('the arrow keys do not reach it')
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await page.waitForURL(expected)
  await page.waitForLoadState()
}

inChromium('an error code, a field, a header, an operation and a guide are found by keyboard', async () => {
  await find('insufficient_stock', 'error', /\/errors#insufficient_stock$/)
  await find('shipDate', 'field', /\/docs#\w+\.[\w.]*shipDate$/)
  await find('X-RateLimit-Reset', 'header', /\/docs#header-x-ratelimit-reset$/)
  await find('place an order', 'operation', /\/docs#placeOrder$/)
  await find('rate limit', 'guide', /\/docs\/guides\//)
})

inChromium('what a field is called leads to the field, folded away or not', async () => {
  await find('lastUsedAt', 'field', /lastUsedAt$/)
  await page.locator(':target').waitFor()
})

inChromium('Ctrl-K opens the search, Escape closes it, and what is nowhere is not found', async () => {
  const found = page.locator('#found [role=option]')
  await page.keyboard.press('Control+k')
  await page.locator('#search').fill('Idempotency-Key')
  await found.first().waitFor()
  await page.locator('#search').fill('beta')
  await page.locator('#found-operation').waitFor()
  await page.locator('#search').fill('qwertz')
  await page.getByText('No results.').waitFor()
  expect(await found.count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'hidden' })
})

inChromium('a slash that is typed into a field stays there', async () => {
  await page.focus('#key')
  await page.keyboard.type('a/b')
  expect(await page.inputValue('#key')).toBe('a/b')
  expect(await page.locator('dialog').count()).toBe(0)
})

inChromium('every place that the search knows exists', async () => {
  const index = (await (await fetch(`${service.url}/docs/search.json`)).json()) as { path: string; kind: string }[]
  const pages = new Map<string, string>()
  for (const { path } of index) {
    const [page = '', anchor] = path.split('#')
    if (!pages.has(page)) pages.set(page, await (await fetch(service.url + page)).text())
    if (anchor !== undefined) expect(pages.get(page)?.includes(`id="${anchor}"`) ? '' : path).toBe('')
  }
  expect(new Set(index.map(({ kind }) => kind)).size).toBe(5)
})

inChromium('an index that could not be loaded is loaded by the next key', async () => {
  await page.route('**/search.json', (route) => route.fulfill({ status: 200, body: 'not yet' }), { times: 1 })
  await page.keyboard.press('Control+k')
  await page.locator('#search').fill('Idempotency')
  await page.getByText('The search could not be loaded.').waitFor()
  await page.locator('#search').press('-')
  await page.locator('#found [role=option]').first().waitFor()
})
