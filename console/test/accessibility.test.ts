import { afterAll, beforeAll, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { type Service, startService, testClock } from '../../server/test/harness/service.ts'
import { inBrowser, openConsole, signedIn } from './harness.ts'

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

let service: Service
beforeAll(async () => {
  service = await startService({ clock: testClock(Date.now()), env: { SAMPLE_DATA: 'true' } })
})
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
  '/orders/5',
  '/inventory',
  '/keys',
  '/keys?do=new',
  '/keys/1',
  '/nowhere',
]

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** All loaded, and nothing on its way. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1, [role="alert"]').first().waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
}

async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const run = "axe.run({ resultTypes: ['violations'] })"
  const { violations } = (await page.evaluate(run)) as { violations: Violation[] }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

for (const scheme of ['light', 'dark'] as const) {
  inBrowser(`axe finds no serious fault on any screen (${scheme})`, async () => {
    await using seen = await openConsole(service, { scheme })
    await seen.page.locator('#key').waitFor()
    expect(await seriousFaults(seen.page)).toEqual([])
    await using inside = await signedIn(service, { scheme })
    const { page } = inside
    for (const path of paths) {
      await page.goto(`${service.url}/console${path}`)
      await settled(page)
      expect([path, ...(await seriousFaults(page))]).toEqual([path])
    }
    // What has no address: the palette, an edit, a message, the figures behind a chart.
    await page.goto(`${service.url}/console/pets/17`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Adjust' }).click()
    expect(await seriousFaults(page)).toEqual([])
    await page.goto(`${service.url}/console/pets`)
    await page.getByRole('button', { name: 'Delete Rex' }).click()
    await page.getByRole('checkbox', { name: 'Choose Bella' }).check()
    await page.keyboard.press('Control+k')
    await page.getByRole('option').first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo' }).click()
  })
}

for (const width of [320, 390, 1440]) {
  inBrowser(`no screen is wider than a window of ${width} pixels`, async () => {
    await using seen = await signedIn(service, { width })
    for (const path of paths) {
      await seen.page.goto(`${service.url}/console${path}`)
      await settled(seen.page)
      expect(`${path} ${await seen.page.evaluate('document.documentElement.scrollWidth')}`).toBe(`${path} ${width}`)
    }
  })
}
