import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleConsole } from '../../server/src/surfaces/pages/console/bundle.ts'
import { theBrowser } from '../../server/test/harness/browser.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openConsole, typeKey } from './harness.ts'

const service = await startService()
afterAll(() => service.stop())

const firstLoadMaxBytes = 160_000

test('every address of the console serves the same page, with a policy without unsafe sources', async () => {
  for (const path of ['/console', '/console/', '/console/pets?q=x', '/console/orders/5']) {
    const { status, headers } = await fetch(service.url + path)
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
  }
})

test('a bundle that was made of something else is not used', () => {
  const made = bundleConsole()
  expect(made.fault).toBe('')
  const cache = join(import.meta.dir, '../dist/console.json')
  writeFileSync(cache, JSON.stringify({ digest: 'of another version', script: 'stale', styles: '' }))
  expect(bundleConsole().script).toBe(made.script)
  writeFileSync(cache, 'cut off')
  expect(bundleConsole().script).toBe(made.script)
})

inBrowser(
  `the first load is at most ${firstLoadMaxBytes / 1000} kB, compressed, all of it from the service`,
  async () => {
    await using opened = await openConsole(service)
    const { page, faults } = opened
    await page.locator('#key:focus').waitFor()
    const loaded = (await page.evaluate(`performance.getEntries()
    .filter(({ entryType }) => entryType === 'resource' || entryType === 'navigation')
    .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])`)) as [string, number][]
    const names = new Set(loaded.map(([path]) => path.replace(/\.[\w-]{16}\./, '.')))
    // The browser loads the icon whenever it likes, perhaps after this.
    expect([...names.add('/assets/icon.svg')].sort()).toEqual([
      '/assets/console.css',
      '/assets/console.js',
      '/assets/early.js',
      '/assets/figtree-latin.woff2',
      '/assets/icon.svg',
      '/console',
      '/openapi.json',
    ])
    const sum = loaded.reduce((total, [, bytes]) => total + bytes, 0)
    expect(sum).toBeGreaterThan(30_000)
    expect(sum).toBeLessThanOrEqual(firstLoadMaxBytes)
    expect(faults()).toEqual([])
  },
)

test('assets that may be cached forever have a hash in their name', async () => {
  const html = await (await fetch(`${service.url}/console`)).text()
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/console\.[^"]+)"/g)].map(([, path]) => path)
  expect(paths).toHaveLength(2)
  for (const path of paths) {
    const { status, headers } = await fetch(service.url + path, { headers: { 'Accept-Encoding': 'gzip' } })
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
  }
})

inBrowser('the console works over plain HTTP, where browsers lack some functions', async () => {
  const browser = await theBrowser()
  const context = await browser.newContext()
  // Functions that browsers lack there.
  await context.addInitScript('delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard')
  const page = await context.newPage()
  await page.goto(`${service.url}/console/categories?do=new`)
  await typeKey(page, service.adminSecret)
  await page.getByRole('dialog').getByLabel('Name').fill('In plain sight')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByText('In plain sight was created.').waitFor()
  await context.close()
})
