import { test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { recordScripts } from './browser-coverage.ts'
import { findChromium } from './run/chromium.ts'

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--in-process-gpu',
  '--disable-quic',
  // Containers give /dev/shm 64 MB, which is too little.
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A test that needs a browser; skipped if there is none. */
export function inChromium(name: string, run: () => Promise<void>, timeoutMs?: number): void {
  test.skipIf(findChromium() === undefined)(name, run, timeoutMs)
}

let browser: Promise<Browser> | undefined
/** One browser for all test files; it ends with the process. */
export function theBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('There is no Chromium: define this test with inChromium.')
  browser ??= chromium.launch({ executablePath, args: flags })
  return browser
}

interface View {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
  readonly timezoneId?: string
}

/** A page in a new tab, with a list of everything that went wrong on it. */
export interface Watched {
  readonly page: Page
  readonly faults: string[]
  close(): Promise<void>
}

export async function open(url: string, { width = 1440, scheme = 'light', ...zone }: View = {}): Promise<Watched> {
  const viewport = { width, height: 900 }
  const context = await (await theBrowser()).newContext({ viewport, colorScheme: scheme, ...zone })
  const page = await context.newPage()
  const faults: string[] = []
  const { origin } = new URL(url)
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`asked another host: ${request.url()}`)
  })
  page.on('requestfailed', (request) => {
    // Aborted because the next page was opened before the icon was loaded.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()}`)
  })
  // Violations of the Content-Security-Policy are logged to the console too.
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  const writeScripts = await recordScripts(page)
  await page.goto(url)
  return {
    page,
    faults,
    async close() {
      await writeScripts()
      await context.close()
    },
  }
}
