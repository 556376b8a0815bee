import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

interface Scope {
  /** A selector: only this part of the page. */
  readonly part?: string
  /** Check both colour schemes. The dark one only needs the contrast rule: no other rule reads colours. */
  readonly inDarkToo?: boolean
  /** Check it as narrow as a phone too: what is hidden there may have been the name of something. */
  readonly narrowToo?: boolean
}

const narrowPx = 390
/** Axe calls this rule experimental and does not run it by itself. */
const allRules = "rules: { 'label-content-name-mismatch': { enabled: true } }"

/** Returns the serious accessibility faults of the page in its current state. */
export async function findSeriousFaults(
  page: Page,
  { part = 'html', inDarkToo = false, narrowToo = false }: Scope = {},
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: 'light' })
  const faults = await findViolations(page, part, allRules)
  if (inDarkToo) {
    await page.emulateMedia({ colorScheme: 'dark' })
    faults.push(...(await findViolations(page, part, "runOnly: ['color-contrast']")))
  }
  if (narrowToo) {
    const { width = 1440, height = 900 } = page.viewportSize() ?? {}
    await page.setViewportSize({ width: narrowPx, height })
    faults.push(...(await findViolations(page, part, allRules)).map((fault) => `${narrowPx} px, ${fault}`))
    await page.setViewportSize({ width, height })
  }
  return faults
}

async function findViolations(page: Page, part: string, rules: string): Promise<string[]> {
  const found = (await page.evaluate(`axe.run('${part}', { resultTypes: ['violations'], ${rules} })`)) as {
    violations: Violation[]
  }
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
