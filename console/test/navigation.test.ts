import { afterAll, expect } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn } from './harness.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

inBrowser('every view has an address: links, back and forward restore filters, search and pages', async () => {
  for (let count = 0; count < 60; count++) await service.admin.post('/pets', { name: `Many ${count}`, categoryId: 2 })
  await using opened = await openSignedIn(service, { path: '/pets?categoryId=2&sort=name' })
  const { page, faults } = opened
  const at = (search: string) => `${service.url}/console/pets?${search}`
  await page.getByRole('link', { name: 'Cleo' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Category' }).inputValue()).toBe('Cats')
  expect(await page.getByRole('link', { name: 'Rex' }).count()).toBe(0)
  await page.getByLabel('Status').selectOption('available')
  await page.getByRole('link', { name: 'Cleo' }).waitFor({ state: 'detached' })
  expect(page.url()).toBe(at('categoryId=2&sort=name&status=available'))
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('button', { name: 'First page' }).waitFor()
  expect(page.url()).toContain('cursor=')
  await page.getByLabel('Search pets by name').fill('felix')
  await page.getByRole('link', { name: 'Felix' }).waitFor()
  expect(page.url()).toBe(at('categoryId=2&sort=name&status=available&q=felix'))
  await page.getByRole('link', { name: 'Felix' }).click()
  await page.getByRole('heading', { name: 'Felix' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Felix' }).waitFor()
  expect(await page.getByLabel('Search pets by name').inputValue()).toBe('felix')
  await page.goBack()
  await page.getByRole('link', { name: 'Cleo' }).waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('link', { name: 'Cleo' }).waitFor()
  await page.goForward()
  await page.getByRole('link', { name: 'Cleo' }).waitFor({ state: 'detached' })
  expect(faults()).toEqual([])
})

inBrowser('the palette opens screens and runs commands by keyboard only', async () => {
  await using opened = await openSignedIn(service)
  const { page } = opened
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const palette = page.getByRole('combobox', { name: 'Search or run a command' })
  const type = async (text: string) => {
    await page.keyboard.press('Control+k')
    await palette.waitFor()
    await page.keyboard.type(text)
  }
  await type('inventory')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  await type('thumper')
  await page.getByRole('option', { name: 'Thumper' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Thumper' }).waitFor()

  // The arrow keys move through the commands, and round at both ends.
  await type('')
  const selected = () => page.getByRole('option', { selected: true }).locator('span').first().innerText()
  const names = await page.getByRole('option').locator('span:first-child').allInnerTexts()
  expect([names[0], names.at(-1)]).toEqual(['Overview', 'Sign out'])
  for (const [key, name] of [
    ['ArrowDown', names[1]],
    ['ArrowUp', names[0]],
    ['ArrowUp', 'Sign out'],
    ['ArrowDown', names[0]],
    ['ArrowDown', names[1]],
  ] as const) {
    await page.keyboard.press(key)
    expect(await selected()).toBe(name as string)
  }
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: names[1] as string, level: 1 }).waitFor()

  // A category is created without a mouse, and the dialog restores the focus.
  await type('create cat')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Create a category' }).waitFor()
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Enter')
  await page.getByText('By keyboard is created.').waitFor()
  await type('by key')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('dialog').count()).toBe(0)

  // A pet is registered the same way, with its category selected by arrow keys.
  await type('register')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Register a pet' }).waitFor()
  await page.keyboard.type('Keyed in')
  await page.keyboard.press('Tab')
  await page.keyboard.type('by k')
  await page.getByRole('option', { name: 'By keyboard' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByText('Keyed in is registered.').waitFor()
  expect((await service.admin.get('/pets?q=Keyed')).body).toHaveLength(1)
})

inBrowser('the keyboard reaches the content, and the focus is visible', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  // The heading has the focus, so that a screen reader starts there; the skip link comes before it.
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Pets')
  await page.locator('.skip').focus()
  expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true)
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
})
