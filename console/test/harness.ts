import type { Page, Request } from 'playwright-core'
import { open } from '../../server/test/harness/browser.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import type { Service } from '../../server/test/harness/service.ts'

// The console in a real browser, with a real service.

export { inChromium as inBrowser } from '../../server/test/harness/browser.ts'

/** Generous, for a busy machine. */
const timeoutMs = 60_000

interface View {
  readonly path?: string
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
  readonly timezoneId?: string
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  /** Script errors, policy violations and requests to other hosts. */
  faults(): string[]
}

/** Opens the console without signing in. */
export async function openConsole(service: Pick<Service, 'url'>, { path = '', ...view }: View = {}): Promise<OpenPage> {
  const { page, faults, close } = await open(`${service.url}/console${path}`, view)
  page.setDefaultTimeout(timeoutMs)
  return {
    page,
    // Rejections by the service and cancelled requests are not faults.
    faults: () => faults.filter((fault) => !/^failed:|Failed to load resource/.test(fault)),
    [Symbol.asyncDispose]: close,
  }
}

export async function typeKey(page: Page, secret: string | undefined): Promise<void> {
  await page.getByLabel('API key').fill(secret ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens the console at an address and signs in. */
export async function openSignedIn(
  service: Service,
  view: View & { secret?: string | undefined } = {},
): Promise<OpenPage> {
  const { secret = service.adminSecret, ...rest } = view
  const opened = await openConsole(service, rest)
  await typeKey(opened.page, secret)
  // On a narrow screen the navigation is hidden, but the frame is not.
  await opened.page.locator('.frame').waitFor()
  return opened
}

/** Selects an option by name in a searchable field. */
export async function choose(page: Page, label: string, name: string): Promise<void> {
  // The last one, in an open dialog: a filter behind it may have the same name.
  await page.getByRole('combobox', { name: label }).last().fill(name)
  await page.getByRole('option', { name }).first().click()
}

/** Gives the selected pets this status. */
export async function setStatus(page: Page, status: string): Promise<void> {
  await page.getByLabel('Set status of the selected pets').selectOption(status)
  await page.getByRole('button', { name: `Set to ${status}` }).click()
}

/** The table row with this text. */
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** Waits until an expression is true in the page. The page's policy forbids Playwright's own waitForFunction. */
export const waitUntil = (page: Page, expression: string): Promise<unknown> =>
  eventually(() => isTrue(page, expression))

export const isTrue = async (page: Page, expression: string): Promise<boolean> =>
  (await page.evaluate(expression)) === true

/** Stops the browser's clock on a loaded screen. From then on time passes only with `page.clock.runFor`. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install()
  await pauseClock(page)
}

/** Stops a clock that was replaced. It cannot stop in the past, and a busy browser may get the call too late: then tries a later time. */
export const pauseClock = (page: Page): Promise<unknown> =>
  eventually(() =>
    page.clock.pauseAt(Date.now() + 1_000).then(
      () => true,
      (error) => {
        if (!String(error).includes('to the past')) throw error
        return false
      },
    ),
  )

/** From the next page on, timers of seconds take minutes: a busy machine may need longer than a message or an undo is shown. */
export const lengthenTimers = (page: Page): Promise<unknown> =>
  page.addInitScript(`const later = setTimeout
    globalThis.setTimeout = (run, ms, ...rest) => later(run, ms >= 5_000 ? 100 * ms : ms, ...rest)`)

const passedMs = 5_000

/** Moves the clock of the service and the stopped clock of the page together until `isDone`, and waits for what was sent meanwhile. */
export async function passTimeUntil(page: Page, { clock }: Service, isDone: () => Promise<boolean>): Promise<void> {
  const isCounted = (request: Request) => !request.url().endsWith('/events/stream')
  let open = 0
  const end = (request: Request) => {
    if (isCounted(request)) open--
  }
  page.on('request', (request) => {
    if (isCounted(request)) open++
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  await eventually(async () => {
    if (await isDone()) return true
    clock.advance(passedMs)
    await page.clock.runFor(passedMs)
    await eventually(() => open <= 0)
    return false
  })
}

/** Runs a command of the palette by keyboard. */
export async function runCommand(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill(text)
  await page.keyboard.press('Enter')
}

const focusedText = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()'

/** Waits until the focus is on the element with this text: on a busy machine it moves a moment after what moved it. */
export async function waitForFocus(page: Page, text: string | RegExp): Promise<void> {
  const isThere =
    text instanceof RegExp ? `${text}.test(${focusedText})` : `(${focusedText}) === ${JSON.stringify(text)}`
  await waitUntil(page, isThere)
}
