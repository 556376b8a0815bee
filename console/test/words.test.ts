import { afterAll, expect } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, lengthenTimers, openSignedIn, waitForFocus } from './harness.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

inBrowser('stock is adjusted in the words of a shop, by keyboard', async () => {
  await using opened = await openSignedIn(service, { path: '/pets/17' })
  const { page } = opened
  const { body: before } = await service.admin.get('/store/inventory/17')
  await page.getByRole('button', { name: 'Adjust' }).press('Enter')
  await page.getByText('How many came in, or went out').waitFor()
  await page.getByLabel('How many').fill('-2')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Moved to the other shop')
  await page.keyboard.press('Enter')
  await page.getByText('Moved to the other shop', { exact: true }).waitFor()
  await page.getByText(`Thumper: ${before.quantity - 2} in stock.`).waitFor()
  const { body: after } = await service.admin.get('/store/inventory/17')
  expect(after.quantity).toBe(before.quantity - 2)
})

inBrowser('an old secret is kept for an hour, a day or a week, not for a number of seconds', async () => {
  const client = await service.newClient({ name: 'Till' })
  await using opened = await openSignedIn(service, { path: `/keys/${client.keyId}` })
  const { page } = opened
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Till at the entrance')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Till at the entrance' }).waitFor()
  await page.getByRole('button', { name: 'Rotate' }).click()
  const amount = page.getByLabel('Keep the old secret for')
  await amount.waitFor()
  expect(await amount.locator('option').allTextContents()).toEqual(['not at all', '1 hour', '1 day', '7 days'])
  expect(await amount.inputValue()).toBe('86400')
  await amount.selectOption('1 hour')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog', { name: 'New secret of Till' }).waitFor()
  service.clock.advance(59 * 60_000)
  expect((await client.get('/limits')).status).toBe(200)
  service.clock.advance(2 * 60_000)
  expect((await client.get('/limits')).status).toBe(401)
})

inBrowser('a combobox opens with its arrow and empties with its cross', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  const filter = page.locator('.filters .combobox')
  await filter.getByRole('button', { name: 'Show the choices' }).click()
  await page.getByRole('option', { name: 'Rabbits' }).click()
  await page.getByRole('link', { name: 'Rex' }).waitFor({ state: 'detached' })
  await filter.getByRole('button', { name: 'Clear the choice' }).click()
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  expect(await filter.getByRole('combobox').inputValue()).toBe('')
  await waitForFocus(page, /ategory/)
  // So does deleting the text.
  await filter.getByRole('combobox').click()
  await page.getByRole('option', { name: 'Rabbits' }).waitFor()
  expect(await page.getByText('Nothing found').count()).toBe(0)
  await page.getByRole('option', { name: 'Rabbits' }).click()
  await page.getByRole('link', { name: 'Rex' }).waitFor({ state: 'detached' })
  await filter.getByRole('combobox').fill('')
  await page.getByRole('link', { name: 'Rex' }).first().waitFor()
})

inBrowser('Enter chooses nothing from the choices for an earlier text', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  const field = page.locator('.filters .combobox').getByRole('combobox')
  await field.click()
  await page.getByRole('option', { name: 'Rabbits' }).waitFor()
  // The search for the new text takes long.
  await page.route(/categories\?.*q=/, () => undefined)
  await field.pressSequentially('Dogs')
  await page.keyboard.press('Enter')
  expect([await field.inputValue(), new URL(page.url()).search]).toEqual(['Dogs', ''])
})

inBrowser('times are relative, with the exact one on hover, and messages cover nothing', async () => {
  service.clock.set(Date.now())
  const { body: order } = await service.admin.post('/store/orders', { petId: 1 })
  await using opened = await openSignedIn(service, { path: `/orders/${order.id}` })
  const { page } = opened
  const placed = page.getByRole('list', { name: 'History' }).locator('time').first()
  await placed.waitFor()
  expect(await placed.innerText()).toBe('just now')
  expect(await placed.getAttribute('title')).toMatch(/\d{4}.*\d:\d\d:\d\d/)
  // A larger unit, and then the date, each from exactly the moment at which it applies.
  const at = Date.parse((await placed.getAttribute('datetime')) ?? '')
  const date = await page.evaluate((at) => new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' }), at)
  for (const [laterMs, text] of [
    [0, 'just now'],
    [3_600_000, '1 hr. ago'],
    [7 * 86_400_000, date],
  ] as const) {
    await page.clock.setFixedTime(at + laterMs)
    await page.reload()
    await placed.waitFor()
    expect(await placed.innerText()).toBe(text)
  }
  await page.goto(`${service.url}/console/categories?do=new`)
  await page.getByRole('dialog').getByLabel('Name').fill('Hamsters')
  await page.keyboard.press('Enter')
  const toast = page.locator('.toast').first()
  await toast.waitFor()
  const box = await toast.boundingBox()
  const content = await page.locator('main').boundingBox()
  const account = await page.locator('.account').boundingBox()
  if (!box || !content || !account) throw new Error('Something is not on the screen.')
  expect(box.x + box.width).toBeLessThanOrEqual(content.x)
  expect(box.y + box.height).toBeLessThanOrEqual(account.y)
})

inBrowser('equal messages become one with a count', async () => {
  await using opened = await openSignedIn(service)
  const { page } = opened
  await lengthenTimers(page)
  await page.goto(`${service.url}/console/pets/19`)
  const toasts = page.locator('.toast')
  for (const text of ['Hazel: 4 in stock.', 'Hazel: 4 in stock. 2 times', 'Hazel: 4 in stock. 3 times']) {
    await page.getByRole('button', { name: 'Set count' }).click()
    await page.getByLabel('Counted', { exact: true }).fill('4')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await toasts.getByText(text, { exact: true }).waitFor()
    expect(await toasts.count()).toBe(1)
  }
  // A different message is shown separately.
  await page.getByRole('button', { name: 'Set count' }).click()
  await page.getByLabel('Counted', { exact: true }).fill('5')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await toasts.getByText('Hazel: 5 in stock.').waitFor()
  expect(await toasts.count()).toBe(2)
})

inBrowser('a list of choices that was left while it loads does not open again', async () => {
  await using opened = await openSignedIn(service, { path: '/pets?do=new' })
  const { page } = opened
  const category = page.getByRole('dialog').getByRole('combobox', { name: 'Category' })
  await category.waitFor()
  const asked = page.waitForRequest(/\/categories\?/)
  await page.route(/\/categories\?/, () => undefined)
  await category.click()
  await asked
  const ended = page.waitForEvent('requestfailed')
  await page.keyboard.press('Tab')
  await ended
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  expect(await category.getAttribute('aria-expanded')).toBe('false')
})
