import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row, waitForFocus } from './harness.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

const open = (page: Page, name: RegExp | string) => page.locator('.filters summary', { hasText: name }).click()
const columnsOf = (page: Page) => page.locator('thead th').allInnerTexts()

async function columnsBecome(page: Page, ...expected: string[]): Promise<void> {
  await eventually(async () => String((await columnsOf(page)).filter(Boolean)) === String([...expected, 'Actions']))
}

inBrowser('columns are hidden and shown again, each list and browser for itself', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page, faults } = opened
  await row(page, 'Rex').waitFor()
  await columnsBecome(page, 'ID', 'Name', 'Category', 'Status', 'Stock')
  await open(page, 'Columns')
  // The list would be of no use without names.
  expect(await page.getByLabel('Name', { exact: true }).count()).toBe(0)
  await page.getByRole('checkbox', { name: 'Category' }).uncheck()
  await page.getByRole('checkbox', { name: 'ID' }).uncheck()
  await columnsBecome(page, 'Name', 'Status', 'Stock')
  await page.keyboard.press('Escape')
  await waitForFocus(page, 'Columns')
  await page.getByRole('checkbox', { name: 'Category' }).waitFor({ state: 'hidden' })

  await page.reload()
  await row(page, 'Rex').waitFor()
  await columnsBecome(page, 'Name', 'Status', 'Stock')
  await page.getByRole('link', { name: 'Categories' }).click()
  await row(page, 'Dogs').waitFor()
  await columnsBecome(page, 'ID', 'Name', 'Description')

  await page.goBack()
  await open(page, 'Columns')
  await page.getByRole('button', { name: 'Show all columns' }).click()
  await columnsBecome(page, 'ID', 'Name', 'Category', 'Status', 'Stock')
  // Something else is clicked.
  await page.getByRole('heading', { name: 'Pets' }).click()
  await page.getByRole('button', { name: 'Show all columns' }).waitFor({ state: 'hidden' })
  expect(faults()).toEqual([])
})

inBrowser('a view keeps filters, sort order and columns under a name, also in another tab', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?categoryId=2&sort=-name' })
  const { page, faults } = opened
  await row(page, 'Cleo').waitFor()
  await open(page, 'Columns')
  await page.getByRole('checkbox', { name: 'Category' }).uncheck()
  await open(page, 'Views')
  await page.getByLabel('Save this view as').fill('Cats, last first')
  await page.keyboard.press('Enter')
  await page.locator('summary', { hasText: 'View: Cats, last first' }).waitFor()

  // Whatever else the list shows, the view brings it back.
  await page.getByRole('link', { name: 'Pets', exact: true }).click()
  await row(page, 'Rex').waitFor()
  await page.locator('summary', { hasText: /^Views$/ }).waitFor()
  await open(page, 'Columns')
  await page.getByRole('button', { name: 'Show all columns' }).click()
  await columnsBecome(page, 'ID', 'Name', 'Category', 'Status', 'Stock')
  await open(page, 'Views')
  await page.getByRole('button', { name: 'Cats, last first', exact: true }).click()
  await row(page, 'Rex').waitFor({ state: 'detached' })
  await columnsBecome(page, 'ID', 'Name', 'Status', 'Stock')
  expect(new URL(page.url()).search).toBe('?categoryId=2&sort=-name')

  const other = await page.context().newPage()
  await other.goto(`${service.url}/console/pets`)
  await other.getByLabel('API key').fill(service.adminSecret)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await row(other, 'Rex').waitFor()
  await open(other, /^Views$/)
  await other.getByRole('button', { name: 'Delete the view Cats, last first' }).click()
  // The first tab follows.
  await page.locator('summary', { hasText: /^Views$/ }).waitFor()
  expect(faults()).toEqual([])
})

inBrowser('a view that is saved on a later page has all pages', async () => {
  const { headers } = await service.admin.get('/pets/profiles?categoryId=2&sort=-name&limit=1')
  const [, cursor = ''] = /cursor=([^&>]+)/.exec(headers.get('link') ?? '') ?? []
  await using opened = await openSignedIn(service, { path: `/pets?categoryId=2&sort=-name&cursor=${cursor}` })
  const { page } = opened
  await page.getByRole('button', { name: 'First page' }).waitFor()
  await open(page, 'Views')
  await page.getByLabel('Save this view as').fill('Later page')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'First page' }).click()
  await page.locator('summary', { hasText: 'View: Later page' }).waitFor()
  await page.getByRole('link', { name: 'Pets', exact: true }).click()
  await row(page, 'Rex').waitFor()
  await open(page, 'Views')
  await page.getByRole('button', { name: 'Later page', exact: true }).click()
  await row(page, 'Rex').waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?categoryId=2&sort=-name')
})

inBrowser('a narrow screen offers no columns that it never shows', async () => {
  await using opened = await openSignedIn(service, { width: 390, path: '/orders' })
  const { page } = opened
  const isOffered = async (...expected: string[]) => {
    await open(page, 'Columns')
    const shown = page.getByRole('group', { name: 'Columns that are shown' }).locator('label:visible')
    const names = async () => (await shown.allInnerTexts()).map((text) => text.trim())
    await eventually(async () => String(await names()) === String(expected), names)
  }
  await isOffered('Pet', 'Quantity', 'State')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.reload()
  await isOffered('Pet', 'Quantity', 'Placed', 'By', 'Ships', 'State')
})

inBrowser('orders, stock, events and keys have views of their own', async () => {
  await using opened = await openSignedIn(service)
  const { page, faults } = opened
  const filtered = ['/orders?complete=false', '/inventory?maxQuantity=0', '/events?type=pet.created', '/keys?sort=-id']
  for (const path of filtered) {
    await page.goto(`${service.url}/console${path}`)
    await open(page, /^Views$/)
    await page.getByLabel('Save this view as').fill('Mine')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('summary', { hasText: 'View: Mine' }).waitFor()
  }
  for (const path of filtered) {
    await page.goto(`${service.url}/console${path.replace(/\?.*/, '')}`)
    await open(page, /^Views$/)
    const saved = page.getByRole('list', { name: 'Saved views' }).getByRole('listitem')
    await saved.first().waitFor()
    expect(await saved.count()).toBe(1)
    await page.getByRole('button', { name: 'Mine', exact: true }).click()
    await page.locator('summary', { hasText: 'View: Mine' }).waitFor()
    expect(page.url()).toBe(`${service.url}/console${path}`)
  }
  expect(faults()).toEqual([])
})
