import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Records which parts of a page's scripts run, for `npm test -- --coverage`. The function it returns writes them down. */
export async function recordScripts(page: Page): Promise<() => Promise<void>> {
  const { BROWSER_COVERAGE: directory } = process.env
  if (directory === undefined) return async () => undefined
  await page.coverage.startJSCoverage({ resetOnNavigation: false })
  return async () => {
    // A page that has crashed or closed has no coverage to report.
    const scripts = await page.coverage.stopJSCoverage().catch(() => [])
    const ran = scripts.map(({ source = '', functions }) => ({ length: source.length, functions }))
    writeFileSync(join(directory, `${randomUUID()}.json`), JSON.stringify(ran))
  }
}
