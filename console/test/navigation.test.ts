import { afterAll, expect } from 'bun:test'
import { getBanned } from '../../server/test/harness/flood.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, runCommand, stopClock, waitForFocus, waitUntil } from './harness.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

inBrowser('every view has an address: links, back and forward restore filters, search and pages', async () => {
  for (let count = 0; count < 60; count++) await service.admin.post('/pets', { name: `Many ${count}`, categoryId: 2 })
  await using opened = await openSignedIn(service, { path: '/pets?categoryId=2&sort=name' })
  const { page, faults } = opened
  const at = (search: string) => `${service.url}/console/pets?${search}`
  await page.getByRole('link', { name: 'Cleo' }).waitFor()
  await waitUntil(page, `document.querySelector('.filters [role="combobox"]').value === 'Cats'`)
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
  expect(await page.getByText('Nothing found').count()).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Thumper' }).waitFor()
  await type('no such thing')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')

  // The arrow keys move through the commands, and wrap around at both ends.
  await type('go to')
  const selected = () => page.getByRole('option', { selected: true }).locator('span').first().innerText()
  await page.getByRole('option', { name: 'Overview' }).waitFor()
  const names = await page.getByRole('option').locator('span:first-child').allInnerTexts()
  expect(names.length).toBeGreaterThan(3)
  for (const [key, name] of [
    ['ArrowDown', names[1]],
    ['ArrowUp', names[0]],
    ['ArrowUp', names.at(-1)],
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
  await page.getByText('By keyboard was created.').waitFor()
  await type('by key')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // A pet is created the same way, with its category selected by arrow keys.
  await type('create pet')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Create a pet' }).waitFor()
  await page.keyboard.type('Keyed in')
  await page.keyboard.press('Tab')
  await page.keyboard.type('by k')
  await page.getByRole('option', { name: 'By keyboard' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByText('Keyed in was created.').waitFor()
  expect((await service.admin.get('/pets?q=Keyed')).body).toHaveLength(1)
})

inBrowser('the keyboard reaches the content, and the focus is visible', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  // The heading has the focus, so that a screen reader starts there; the skip link comes before it.
  await waitForFocus(page, 'Pets')
  await page.locator('.skip').focus()
  expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true)
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
})

inBrowser('a screen has a title, and its heading gets the focus', async () => {
  await using opened = await openSignedIn(service)
  const { page } = opened
  for (const name of ['Orders', 'Inventory', 'Overview']) {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click()
    await waitUntil(page, `document.title === '${name} · Pet Store console'`)
    await waitUntil(page, `document.activeElement.tagName === 'H1' && document.activeElement.textContent === '${name}'`)
  }
  await page.goto(`${service.url}/console/pets/17`)
  await waitUntil(page, "document.title === 'Pets 17 · Pet Store console'")
  await page.goto(`${service.url}/console/nowhere`)
  await waitUntil(page, "document.title === 'Not found · Pet Store console'")
})

inBrowser('Back empties the search field, although the focus is in it', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  await page.getByLabel('Status').selectOption('available')
  const field = page.getByLabel('Search pets by name')
  await field.fill('thumper')
  await waitUntil(page, "location.search.includes('q=thumper')")
  await page.goBack()
  await waitUntil(page, "location.search === ''")
  await waitUntil(page, "document.querySelector('main input[type=search]').value === ''")
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
})

inBrowser('back brings back what was selected after the list was filtered', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  await page.getByLabel('Status').selectOption('pending')
  await waitUntil(page, "[...document.querySelectorAll('tbody tr')].every((row) => row.innerText.includes('pending'))")
  const first = page.locator('tbody tr').first()
  await first.getByRole('checkbox').check()
  await first.getByRole('link').first().click()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await page.goBack()
  await page.getByText('1 pet selected').waitFor()
  expect(await first.getByRole('checkbox').isChecked()).toBe(true)
})

inBrowser('back brings back the scroll position and the selection', async () => {
  for (let count = 0; count < 30; count++) await service.admin.post('/pets', { name: `Far ${count}`, categoryId: 1 })
  await using opened = await openSignedIn(service, { path: '/pets?q=far' })
  const { page } = opened
  await page.getByRole('checkbox', { name: 'Select Far 0' }).check()
  await page.getByRole('checkbox', { name: 'Select Far 25' }).check()
  await page.evaluate('scrollTo(0, 400)')
  await page.getByRole('link', { name: 'Far 20' }).press('Enter')
  await page.getByRole('heading', { name: 'Far 20' }).waitFor()
  expect(await page.evaluate('scrollY')).toBe(0)
  await page.goBack()
  await waitUntil(page, 'scrollY === 400')
  // Forward remembers the position on the page that it leaves, too.
  await page.evaluate('scrollTo(0, 300)')
  await page.goForward()
  await page.getByRole('heading', { name: 'Far 20' }).waitFor()
  await page.goBack()
  await waitUntil(page, 'scrollY === 300')
  await page.evaluate('scrollTo(0, 400)')
  // A dialog leaves the page where it is.
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'Create a pet' }).waitFor()
  expect(await page.evaluate('scrollY')).toBe(400)
  await page.keyboard.press('Escape')
  expect(await page.getByRole('checkbox', { name: 'Select Far 0' }).isChecked()).toBe(true)
  expect(await page.getByRole('checkbox', { name: 'Select Far 25' }).isChecked()).toBe(true)
  await page.getByText('2 pets selected').waitFor()
  // A new visit by a link starts again at the top, with nothing selected.
  await page.getByRole('link', { name: 'Pets', exact: true }).click()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('link', { name: 'Pets', exact: true }).click()
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  expect(await page.evaluate('scrollY')).toBe(0)
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
})

inBrowser('the palette knows things by number, banned keys, the docs and what the screen can do', async () => {
  const client = await service.newClient({ name: 'Never stops', plan: 'free' })
  for (let count = 0; count < 100; count++) {
    if (count > 60) service.clock.advance(1_100)
    await client.get('/pets?limit=1')
  }
  await using opened = await openSignedIn(service)
  const { page } = opened
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const type = async (text: string, option: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or run a command' }).fill(text)
    await page.getByRole('option', { name: option }).first().waitFor()
    await page.keyboard.press('Enter')
  }
  await type('order 2', 'Order 2')
  await page.getByRole('heading', { name: 'Order 2' }).waitFor()
  await type('banned', 'Never stops')
  await page.getByRole('heading', { name: 'Never stops' }).waitFor()
  await type('pet 17', 'Pet 17')
  await page.getByRole('heading', { name: 'Thumper' }).waitFor()
  await type('place an', 'Place an order')
  await page.getByRole('dialog', { name: 'Place an order' }).waitFor()
  await page.keyboard.press('Escape')
  await type('docs', 'Documentation: reference')
  await page.waitForURL(`${service.url}/docs`)
})

inBrowser('the palette finds a banned key behind a hundred others', async () => {
  const first = await service.newClient({ name: 'Banned first', plan: 'free' })
  await Promise.all(Array.from({ length: 100 }, () => service.newClient()))
  const last = await service.newClient({ name: 'Banned last', plan: 'free' })
  for (const client of [first, last]) await getBanned(service, client)
  await using opened = await openSignedIn(service)
  const { page } = opened
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('banned')
  for (const name of ['Banned first', 'Banned last']) await page.getByRole('option', { name }).waitFor()
})

inBrowser('a button that Undo covers is no command', async () => {
  const { keyId } = await service.newClient()
  await using opened = await openSignedIn(service, { path: `/keys/${keyId}` })
  const { page } = opened
  await page.getByRole('button', { name: 'Revoke' }).waitFor()
  await stopClock(page)
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.clock.runFor(100)
  await page.getByRole('option', { name: 'Rotate' }).waitFor()
  expect(await page.getByRole('option', { name: 'Revoke' }).count()).toBe(0)
})

inBrowser('the palette offers by number only what the key can see', async () => {
  const reader = await service.newClient({ scopes: ['pets:read'] })
  await using opened = await openSignedIn(service, { path: '/pets', secret: reader.secret })
  const { page } = opened
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('1')
  await page.getByRole('option', { name: 'Pet 1' }).waitFor()
  expect(await page.getByRole('option', { name: /^(Order|API key|Webhook) 1/ }).count()).toBe(0)
})

inBrowser('single keys show the shortcuts, search and create, and can be switched off', async () => {
  await using opened = await openSignedIn(service, { path: '/categories' })
  const { page } = opened
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.getByRole('cell', { name: 'Dogs' }).first().waitFor()
  await page.keyboard.press('?')
  await shortcuts.getByText('Search the list').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'Create a category' }).waitFor()
  // In a field, a key is a letter.
  await page.keyboard.type('n?')
  expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('n?')
  await page.getByRole('dialog').getByLabel('Name').fill('')
  // On a button of a dialog, no second dialog opens.
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('?')
  expect(await shortcuts.count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.goto(`${service.url}/console/pets`)
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  await page.keyboard.press('/')
  await waitUntil(page, "document.activeElement.type === 'search'")
  await runCommand(page, 'keyboard')
  await shortcuts.getByLabel('Use single keys as shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await page.keyboard.press('?')
  expect(await shortcuts.count()).toBe(0)
})

inBrowser('the console switches between light and dark, and prints only what it shows', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  const dark = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme === 'dark'")
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  expect(await dark()).toBe(true)
  await page.reload()
  await page.getByRole('button', { name: 'Use light colours' }).click()
  expect(await dark()).toBe(false)
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('link', { name: 'Rex' }).first().isVisible()).toBe(true)
  expect(await page.locator('.side, .top, .filters, .actions').filter({ visible: true }).count()).toBe(0)
})
