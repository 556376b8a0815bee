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
}

/** Returns the serious accessibility faults of the page in its current state. */
export async function findSeriousFaults(
  page: Page,
  { part = 'html', inDarkToo = false }: Scope = {},
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await findViolations(page, part, '')
  if (!inDarkToo) return light
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await findViolations(page, part, "runOnly: ['color-contrast']"))]
}

async function findViolations(page: Page, part: string, rules: string): Promise<string[]> {
  const found = (await page.evaluate(`axe.run('${part}', { resultTypes: ['violations'], ${rules} })`)) as {
    violations: Violation[]
  }
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
