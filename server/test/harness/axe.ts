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
  /** Check it as narrow as a phone too: what is hidden there may have been the name of something. Colours are the same there. */
  readonly narrowToo?: boolean
}

const narrowPx = 390
/** Axe calls this rule experimental and does not run it by default. */
const experimental = "'label-content-name-mismatch': { enabled: true }"
const allRules = `rules: { ${experimental} }`
const contrast = "runOnly: ['color-contrast']"
const allButContrast = `rules: { ${experimental}, 'color-contrast': { enabled: false } }`

/**
 * Removes repetition: of neighbours with the same elements and attributes, such as the rows of a table, two stay. Those that differ
 * only in texts have the same faults, and axe takes as long for each. `putBack` undoes it.
 */
const takeOutRepeated = `(() => {
  const repeated = 'tr, li, section, article, details, div, p, pre, pre span'
  const freeValues = /^((data-)?id|for|href|src|name|value|title|style|datetime|d|aria-(label|labelledby|describedby|controls))$/
  const markups = new Map()
  const markup = (element) => {
    const attributes = [...element.attributes].map(({ name, value }) => (freeValues.test(name) ? name : name + '=' + value))
    const text = [element.localName, ...attributes.sort(), ...[...element.children].map(markup)].join(' ')
    markups.set(element, text)
    return '<' + text + '>'
  }
  markup(document.body)
  const taken = []
  const look = (parent) => {
    const counts = new Map()
    for (const child of [...parent.children]) {
      const count = (counts.get(markups.get(child)) ?? 0) + 1
      counts.set(markups.get(child), count)
      if (count > 2 && child.matches(repeated)) {
        taken.push([parent, child, child.nextSibling])
        child.remove()
      } else look(child)
    }
  }
  look(document.body)
  // The page may have changed its elements meanwhile.
  const placeIn = (parent, next) => (next?.parentNode === parent ? next : null)
  globalThis.putBack = () => {
    for (const [parent, child, next] of taken.reverse()) parent.insertBefore(child, placeIn(parent, next))
  }
})()`

/** Returns the serious accessibility faults of the page in its current state. */
export async function findSeriousFaults(
  page: Page,
  { part = 'html', inDarkToo = false, narrowToo = false }: Scope = {},
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  await page.evaluate(takeOutRepeated)
  await page.emulateMedia({ colorScheme: 'light' })
  const faults = await findViolations(page, part, allRules)
  if (inDarkToo) {
    await page.emulateMedia({ colorScheme: 'dark' })
    faults.push(...(await findViolations(page, part, contrast)))
  }
  if (narrowToo) {
    const { width = 1440, height = 900 } = page.viewportSize() ?? {}
    await page.setViewportSize({ width: narrowPx, height })
    faults.push(...(await findViolations(page, part, allButContrast)).map((fault) => `${narrowPx} px, ${fault}`))
    await page.setViewportSize({ width, height })
  }
  await page.evaluate('putBack()')
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
