// Takes pictures of the pages and the console, light and dark, at 1440 and 390 pixels: npm run pictures -- <folder> [word…]
// With words: only pictures whose name contains one of them. With --home: those of the home page and the README, as they are shown there.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { theBrowser } from '../server/test/harness/browser.ts'
import type { Service } from '../server/test/harness/service.ts'
import { pictures } from './pictures-list.ts'
import { startPicturedSandbox } from './pictures-sandbox.ts'
import { startPicturedShop } from './pictures-shop.ts'

const isForHome = process.argv.includes('--home')
const [folder = isForHome ? 'server/src/shop/pages/pictures' : 'dist/pictures', ...words] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('--'))
const views = isForHome
  ? ([
      [1376, 'light'],
      [1376, 'dark'],
    ] as const)
  : ([
      [1440, 'light'],
      [390, 'light'],
      [1440, 'dark'],
      [390, 'dark'],
    ] as const)
const height = isForHome ? 780 : 900

const chosen = pictures.filter(({ name, isOnHome }) =>
  isForHome ? isOnHome : words.length === 0 || words.some((word) => name.includes(word)),
)
mkdirSync(folder, { recursive: true })
const shop = await startPicturedShop()
const sandbox = await startPicturedSandbox()

/** A tab whose pages are signed in, in the console and in the reference. */
async function openTab(width: number, colorScheme: 'light' | 'dark'): Promise<BrowserContext> {
  const context = await (await theBrowser()).newContext({ viewport: { width, height }, colorScheme })
  const key = JSON.stringify(shop.adminSecret)
  await context.addInitScript(
    `for (const name of ['petstore.key ', 'petstore-console-key /console']) sessionStorage.setItem(name, ${key})`,
  )
  return context
}

/** Waits until nothing is loading, fonts included. */
async function waitUntilQuiet(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.locator('h1').first().waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
}

async function takePictures(service: Service): Promise<void> {
  for (const [width, scheme] of views) {
    const context = await openTab(width, scheme)
    for (const { name, path, prepare, isWhole = false, isOfSandbox = false } of chosen) {
      const page = await context.newPage()
      service.clock.advance(2_000)
      await page.goto((isOfSandbox ? sandbox.url : service.url) + path)
      await waitUntilQuiet(page)
      await prepare?.(page, service)
      const file = isForHome ? `${name}-${scheme}.png` : `${name}-${width}-${scheme}.png`
      await page.screenshot({ path: join(folder, file), fullPage: isWhole && !isForHome })
      await page.close()
    }
    await context.close()
  }
}

await takePictures(shop)
await shop.stop()
await sandbox.stop()
await (await theBrowser()).close()
process.stdout.write(`Wrote ${chosen.length * views.length} pictures to ${folder}\n`)
