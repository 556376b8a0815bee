import { test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inChromium, open } from '../../server/test/harness/browser.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import type { Service } from '../../server/test/harness/service.ts'

// The console in a real browser against the real service.

/** The browser sees the same answers whatever the engine, so most of it is tried on one. */
export const inBrowser = process.env.TEST_ENGINE === 'postgres' ? test.skip : inChromium

/** A busy machine may take its time. */
const patienceMs = 60_000

interface View {
  readonly path?: string
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
}

export interface Seen extends AsyncDisposable {
  readonly page: Page
  /** Faults of the script, of the policy, or requests to another host. */
  faults(): string[]
}

/** The console, with nobody signed in. */
export async function openConsole(service: Pick<Service, 'url'>, { path = '', ...view }: View = {}): Promise<Seen> {
  const { page, faults, close } = await open(`${service.url}/console${path}`, view)
  page.setDefaultTimeout(patienceMs)
  return {
    page,
    // A refusal that the service means is no fault, and neither is a request that a new screen made superfluous.
    faults: () => faults.filter((fault) => !/^failed:|Failed to load resource/.test(fault)),
    [Symbol.asyncDispose]: close,
  }
}

export async function typeKey(page: Page, secret: string | undefined): Promise<void> {
  await page.getByLabel('API key').fill(secret ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The console at an address, signed in. */
export async function signedIn(service: Service, view: View & { secret?: string | undefined } = {}): Promise<Seen> {
  const { secret = service.adminSecret, ...rest } = view
  const seen = await openConsole(service, rest)
  await typeKey(seen.page, secret)
  // Where there is little room the navigation is folded away.
  await seen.page.locator('.frame').waitFor()
  return seen
}

/** Chooses something by its name in a field that searches. */
export async function choose(page: Page, label: string, name: string): Promise<void> {
  // In a dialog where one is open: a filter behind it may have the same name.
  await page.getByRole('combobox', { name: label }).last().fill(name)
  await page.getByRole('option', { name }).first().click()
}

/** The row of a table that has this text. */
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** Waits until an expression is true in the page; its policy allows the browser's own waiting no text as code. */
export const until = (page: Page, expression: string): Promise<unknown> =>
  eventually(async () => (await page.evaluate(expression)) === true)
