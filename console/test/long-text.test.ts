import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../server/src/platform/lib/time.ts'
import { startService, testClock } from '../../server/test/harness/service.ts'
import { inBrowser, lengthenTimers, openSignedIn } from './harness.ts'

// The longest texts, text from right to left, and the largest stock fit on every screen.

// A date is the longest form in which a list shows a time.
const service = await startService({ clock: testClock(Date.now() - 30 * dayMs) })
const { admin } = service
afterAll(() => service.stop())

const names = ['W'.repeat(200), 'מלך '.repeat(50).trim(), 'قط'.repeat(100), 'Rex']
const stockMax = 1_000_000_000
for (const name of names) {
  const { body: category } = await admin.post('/categories', { name, description: name.repeat(5) })
  const { body: pet } = await admin.post('/pets', { name, categoryId: category.id })
  await admin.put(`/store/inventory/${pet.id}`, { quantity: stockMax })
  const client = await service.newClient({ name, plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } })
  for (let count = 0; count < 3; count++) await client.post('/store/orders', { petId: pet.id, quantity: 10_000 })
  const revoked = await service.newClient({ name, plan: 'free' })
  await admin.delete(`/keys/${revoked.keyId}`)
  await client.post('/webhooks', { url: `https://shop.example/${'w'.repeat(180)}`, events: ['order.*', 'pet.*'] })
}
await admin.post('/webhooks', { url: `https://shop.example/${'w'.repeat(180)}`, events: ['order.*'] })
await admin.patch('/store/orders/1', { complete: true })
await admin.delete('/store/orders/2')
for (const petId of [1, 2, 3, 4]) await admin.put(`/store/inventory/${petId}`, { quantity: stockMax })

const screens = [
  '',
  '/pets',
  '/pets/1',
  '/categories',
  '/orders',
  '/orders?state=cancelled',
  '/orders?complete=true&completedFrom=2020-01-01T00:00',
  '/orders/1',
  '/inventory',
  '/inventory?mode=count',
  '/keys',
  '/keys?revoked=true',
  '/keys/2',
  '/webhooks',
  '/webhooks/1',
  '/webhooks/5',
  '/events',
  '/activity',
  '/activity?by=2',
]

/** Sideways scrolling, controls that are not wholly on the screen, filters, headers and deeds whose words are cut, and words broken in headings. */
const findFaults = `(() => {
  const faults = []
  for (const area of [document.documentElement, ...document.querySelectorAll('main .scroll, dialog, dialog .scroll')]) {
    if (area.scrollWidth > area.clientWidth) faults.push('scrolls sideways: ' + area.tagName + ' by ' + (area.scrollWidth - area.clientWidth))
  }
  for (const control of document.querySelectorAll('main :is(a, button, input, select, summary)')) {
    const { left, right, width } = control.getBoundingClientRect()
    if (width === 0 || control.closest('.for-screen-readers')) continue
    let visible = [0, innerWidth]
    const box = control.closest('td, .card')?.getBoundingClientRect()
    if (box) visible = [Math.max(0, box.left), Math.min(innerWidth, box.right)]
    if (left < visible[0] - 1 || right > visible[1] + 1) {
      faults.push('off screen: ' + (control.getAttribute('aria-label') ?? control.textContent).slice(0, 20))
    }
  }
  const pen = document.createElement('canvas').getContext('2d')
  for (const input of document.querySelectorAll('main .filters input[placeholder]')) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(input)
    pen.font = font
    const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    if (pen.measureText(input.placeholder).width > room + 1) faults.push('cut off: ' + input.placeholder)
  }
  for (const word of document.querySelectorAll('main th, .deed > :not(:last-child)')) {
    if (word.clientWidth > 0 && word.scrollWidth > word.clientWidth) faults.push('cut off: ' + word.textContent)
  }
  for (const heading of document.querySelectorAll('main :is(h1, h2)')) {
    const lines = heading.getBoundingClientRect().height / parseFloat(getComputedStyle(heading).lineHeight)
    if (lines > 1.5 && /^\\S{1,20}$/.test(heading.textContent)) faults.push('broken: ' + heading.textContent)
  }
  return faults
})()`

async function faultsOf(page: Page, path: string): Promise<string[]> {
  await page.goto(`${service.url}/console${path}`)
  await page.locator('main h1').waitFor()
  await page.locator('main .loading').first().waitFor({ state: 'detached' })
  return (await page.evaluate(findFaults)) as string[]
}

for (const width of [390, 768, 1024, 1440]) {
  inBrowser(`at ${width} pixels nothing scrolls sideways and every control is on the screen`, async () => {
    // Only a limited number of sign-ins is allowed per minute.
    service.clock.advance(60_000)
    await using opened = await openSignedIn(service, { width })
    const { page } = opened
    const found: Record<string, string[]> = {}
    for (const path of screens) found[path] = await faultsOf(page, path)
    expect(found).toEqual(Object.fromEntries(screens.map((path) => [path, []])))

    // What lies over a list: the bar of selected rows, and the review of a stock-take.
    for (const path of ['/pets', '/orders']) {
      await faultsOf(page, path)
      await page.getByRole('checkbox').nth(1).check()
      await page.locator('.bulk').waitFor()
      expect([path, await page.evaluate(findFaults)]).toEqual([path, []])
    }
    for (const path of ['/pets', '/keys']) {
      await faultsOf(page, path)
      const [views, columns] = await page.locator('.menu > summary').all()
      await views?.click()
      await page.getByLabel('Save this view as').fill('W'.repeat(40))
      await page.keyboard.press('Enter')
      await page.getByRole('list', { name: 'Saved views' }).waitFor()
      expect([path, await page.evaluate(findFaults)]).toEqual([path, []])
      await columns?.click()
      await page.getByRole('button', { name: 'Show all columns' }).waitFor()
      expect([path, await page.evaluate(findFaults)]).toEqual([path, []])
    }
    await faultsOf(page, '/inventory?mode=count')
    await page.getByLabel('counted').first().fill('5')
    await page.getByLabel('counted').nth(3).fill('5')
    await page.getByRole('button', { name: 'Review differences' }).click()
    const review = page.getByRole('dialog').getByRole('table')
    await review.waitFor()
    expect(await page.evaluate(findFaults)).toEqual([])
    const seen = (await review.locator('th').last().boundingBox()) ?? { x: width, width: 0 }
    expect(seen.x + seen.width).toBeLessThanOrEqual(width)
  })
}

inBrowser('a name from right to left that is cut off keeps its beginning', async () => {
  service.clock.advance(60_000)
  await using opened = await openSignedIn(service, { width: 1024, path: '/pets' })
  const { page } = opened
  await page.locator('tbody a.name').first().waitFor()
  // Otherwise the beginning, on the right, is what is cut off. How wide the lines are depends on the font.
  const inside = (await page.evaluate(`[...document.querySelectorAll('tbody a.name')].map((link) => {
    const range = document.createRange()
    range.setStart(link.firstChild, 0)
    range.setEnd(link.firstChild, 1)
    const [box, first] = [link, range].map((part) => part.getBoundingClientRect())
    return [link.textContent.slice(0, 3), first.left > box.left - 9 && first.right < box.right + 9]
  })`)) as [string, boolean][]
  const isShown = new Map(inside)
  for (const beginning of ['מלך', 'قطق']) expect([beginning, isShown.get(beginning)]).toEqual([beginning, true])
})

for (const width of [1000, 1024, 1440]) {
  inBrowser(`at ${width} pixels an order takes one line, with its actions`, async () => {
    service.clock.advance(60_000)
    await using opened = await openSignedIn(service, { width, path: '/orders' })
    const { page } = opened
    await lengthenTimers(page)
    await page.reload()
    const cancel = page.getByRole('button', { name: 'Cancel order 4', exact: true })
    await cancel.waitFor()
    const heights = (await page.evaluate(
      "[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height)",
    )) as number[]
    expect(Math.max(...heights)).toBeLessThan(45)
    const box = await cancel.boundingBox()
    expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
    // The name of the pet is still readable.
    const name = await page
      .getByRole('link', { name: 'W'.repeat(200) })
      .first()
      .boundingBox()
    expect(name?.width).toBeGreaterThan(60)
    await cancel.click()
    await page.getByRole('button', { name: 'Undo' }).click()
  })
}
