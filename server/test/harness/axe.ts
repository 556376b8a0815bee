import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

export interface Look {
  /** A selector: only this part of the page. */
  readonly part?: string
  /** In both colour schemes. The dark one is held only against the rule on contrast: no other rule reads colours. */
  readonly inDarkToo?: boolean
}

/** The serious accessibility faults of a page as it is now. */
export async function seriousFaults(page: Page, { part = 'html', inDarkToo = false }: Look = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await violations(page, part, '')
  if (!inDarkToo) return light
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await violations(page, part, "runOnly: ['color-contrast']"))]
}

async function violations(page: Page, part: string, rules: string): Promise<string[]> {
  const found = (await page.evaluate(`axe.run('${part}', { resultTypes: ['violations'], ${rules} })`)) as {
    violations: Violation[]
  }
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
