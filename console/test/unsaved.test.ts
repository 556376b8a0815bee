import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row, runCommand, waitForFocus, waitUntil } from './harness.ts'

const service = await startService()
const categoryId = await service.admin.newCategory('Dogs')
for (const name of ['Rex', 'Bella']) await service.admin.post('/pets', { name, categoryId })
afterAll(() => service.stop())

const question = (page: Page) => page.getByRole('dialog', { name: 'Discard what you typed?' })
const keep = (page: Page) => question(page).getByRole('button', { name: 'Keep typing' })
const discard = (page: Page) => question(page).getByRole('button', { name: 'Discard' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

inBrowser('Escape and the close button ask before a dialog loses what was typed', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?do=new' })
  const { page, faults } = opened
  const dialog = page.getByRole('dialog', { name: 'Create a pet' })
  const name = dialog.getByLabel('Name')
  await name.fill('Half typed')
  await page.keyboard.press('Escape')
  await keep(page).waitFor()
  // The answer that loses nothing has the focus, and Escape gives it, too.
  await waitForFocus(page, 'Keep typing')
  await page.keyboard.press('Enter')
  await question(page).waitFor({ state: 'detached' })
  await waitUntil(page, "document.activeElement.value === 'Half typed'")
  await page.keyboard.press('Escape')
  await keep(page).waitFor()
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Half typed')
  // By mouse.
  await dialog.getByRole('button', { name: 'Close' }).click()
  await keep(page).click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await discard(page).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await question(page).count()).toBe(0)
  // Cancel says what it does, and an untouched form has nothing to lose.
  await page.getByRole('button', { name: 'Create a pet' }).click()
  await name.fill('Again')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create a pet' }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(faults()).toEqual([])
})

inBrowser('an edit in a row is not lost by Escape, another edit, a filter or a link', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  const name = row(page, 'Save').getByLabel('Name')
  await page.getByRole('button', { name: 'Edit Rex' }).click()
  await name.fill('Rex the half typed')
  const ways = [
    () => name.press('Escape'),
    () => page.getByRole('button', { name: 'Edit Bella' }).click(),
    () => page.getByRole('search').getByLabel('Status').selectOption('sold'),
    () => page.getByLabel('Search pets by name').pressSequentially('x'),
    () => page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click(),
    () => page.getByRole('link', { name: 'Bella' }).click(),
    () => page.getByRole('link', { name: 'Orders' }).press('Enter'),
    () => page.getByRole('button', { name: 'Sign out' }).click(),
  ]
  for (const leave of ways) {
    await leave()
    await keep(page).press('Enter')
    await question(page).waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('Rex the half typed')
  }
  expect(page.url()).toBe(`${service.url}/console/pets`)
  // The filters still match the list that is shown.
  expect(await page.getByRole('search').getByLabel('Status').inputValue()).toBe('')
  expect(await page.getByLabel('Search pets by name').inputValue()).toBe('')
  await name.press('Escape')
  await discard(page).press('Enter')
  await row(page, 'Save').waitFor({ state: 'detached' })
  expect((await service.admin.get('/pets?q=half')).body).toEqual([])
  // A saved edit can be left without a question.
  await page.getByRole('button', { name: 'Edit Rex' }).click()
  await name.fill('Rex the second')
  await name.press('Enter')
  // The list may have the new name before the response says that it is saved.
  await page.getByText('Saved.', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Rex the second' }).click()
  await heading(page, 'Rex the second').waitFor()
})

inBrowser('what was not discarded is still asked about', async () => {
  await using opened = await openSignedIn(service, { path: '/inventory' })
  const { page } = opened
  const count = page.getByLabel('Bella in stock')
  await count.fill('12')
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('Running low at').fill('7')
  await page.keyboard.press('Escape')
  await discard(page).click()
  await page.getByRole('link', { name: 'Orders' }).click()
  await keep(page).click()
  expect(await count.inputValue()).toBe('12')
})

inBrowser('Back, the palette and the browser ask before a form is lost', async () => {
  await using opened = await openSignedIn(service, { path: '/categories' })
  const { page } = opened
  await page.getByRole('link', { name: 'Inventory' }).click()
  await heading(page, 'Inventory').waitFor()
  const count = page.getByLabel('Bella in stock')
  await count.fill('12')
  await page.goBack()
  await keep(page).click()
  expect(page.url()).toBe(`${service.url}/console/inventory`)
  await runCommand(page, 'orders')
  await keep(page).click()
  // Closing the tab: the browser asks, and dismissing keeps the page.
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  expect(await count.inputValue()).toBe('12')
  await page.goBack()
  await discard(page).click()
  await heading(page, 'Categories').waitFor()
})
