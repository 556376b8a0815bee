import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../server/test/harness/eventually.ts'
import { flood, getBanned } from '../../server/test/harness/flood.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, isTrue, openSignedIn, row, stopClock } from './harness.ts'

const service = await startService()
afterAll(() => service.stop())

/** Lets time pass in the browser until figures that are loaded every ten seconds make the expression true. */
const waitWithRefresh = (page: Page, expression: string) =>
  eventually(async () => {
    if (await isTrue(page, expression)) return true
    await page.clock.fastForward(10_000)
    return false
  })

inBrowser(
  'a key is created, its secret shown once; its usage updates, its ban is lifted, it is rotated and revoked',
  async () => {
    await using opened = await openSignedIn(service, { path: '/keys' })
    const { page, faults } = opened
    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    await dialog.getByLabel('Name').fill('Till')
    // Only one plan has custom limits; scopes are chosen only without a preset.
    expect(await dialog.getByLabel('Per minute').count()).toBe(0)
    await dialog.getByLabel('Plan').selectOption('enterprise')
    await dialog.getByLabel('Per minute').fill('5')
    await dialog.getByLabel('Per day').fill('1000')
    // Each preset says what it may do; custom scopes are chosen one by one.
    await dialog.getByRole('radio', { name: /^staff Runs the shop.*orders:all/ }).waitFor()
    expect(await dialog.getByRole('checkbox', { name: 'pets:read' }).count()).toBe(0)
    await dialog.getByRole('radio', { name: /^client/ }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await dialog.getByRole('checkbox', { name: 'pets:read' }).check()
    // The list has the key even without the event of its creation, which a stopped clock holds back.
    await stopClock(page)
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await row(page, 'Till').waitFor({ state: 'attached' })
    await page.clock.resume()
    const created = page.getByRole('dialog', { name: 'Secret of Till' })
    const secret = await created.getByLabel('The secret').inputValue()
    await created.getByRole('button', { name: 'I’ve saved it' }).click()
    await row(page, 'Till').getByText('active').waitFor()
    expect(await page.content()).not.toContain(secret)

    await row(page, 'Till').getByRole('link', { name: 'Till' }).click()
    await page.getByText('Read pets and categories.').waitFor()
    await page.getByText('5 per minute, 1,000 per day').waitFor()
    const usage = async () => {
      const cells = page.getByRole('table', { name: 'Requests per hour' }).getByRole('row').nth(1).locator('td')
      return (await cells.allInnerTexts()).map(Number)
    }
    await page.getByText('Show as table').click()
    expect(await usage()).toEqual([0, 0, 0, 0])

    // Another client uses the key; the chart updates.
    const till = service.as(secret)
    await flood(till, 4, 1)
    await waitWithRefresh(page, "document.querySelector('.figures tbody td')?.textContent === '4'")
    expect((await till.get('/store/orders')).status).toBe(403)
    await waitWithRefresh(
      page,
      "document.querySelector('.figures tbody tr')?.innerText.replace(/\\D+/g, ' ').trim().endsWith('5 0 1 0')",
    )

    // The client keeps sending although it is rejected, until it is banned.
    await getBanned(service, till)
    await page.getByText('It continued to send requests after being rate limited.').waitFor()
    const history = page.getByRole('list', { name: 'Bans and changes' }).getByRole('listitem')
    await history.first().getByText('ban 1 in a row').waitFor()
    // 30 strikes are allowed, and the next one leads to the ban.
    await waitWithRefresh(
      page,
      "[...document.querySelectorAll('.figures tbody tr')].some(({ lastElementChild }) => lastElementChild.textContent === '31')",
    )
    service.clock.advance(60_000)
    expect((await till.get('/pets')).body.code).toBe('key_banned')
    await page.route('**/ban', (route) =>
      route.fulfill({ status: 404, json: { code: 'key_not_found', message: 'No.' } }),
    )
    await page.getByRole('button', { name: 'Lift the ban' }).click()
    await page.locator('.toast.bad').waitFor()
    await page.unroute('**/ban')
    await page.getByRole('button', { name: 'Lift the ban' }).click()
    await page.getByText('Ban lifted.').waitFor()
    await page.getByText('It continued to send').waitFor({ state: 'detached' })
    expect((await till.get('/pets')).status).toBe(200)
    await history.first().getByText('Ban lifted').waitFor()
    expect((await history.locator('strong').allInnerTexts()).slice(0, 3)).toEqual(['Ban lifted', 'Banned', 'Created'])
    await page.getByText('None.', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByLabel('Keep the old secret for').selectOption('not at all')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const rotated = page.getByRole('dialog', { name: 'New secret of Till' })
    const next = await rotated.getByLabel('The secret').inputValue()
    await rotated.getByRole('button', { name: 'I’ve saved it' }).click()
    expect((await till.get('/limits')).status).toBe(401)
    expect((await service.as(next).get('/limits')).status).toBe(200)

    await stopClock(page)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.clock.runFor(7_000)
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect((await service.as(next).get('/limits')).status).toBe(401)
    expect(faults()).toEqual([])
  },
)

inBrowser('who rotates the own key goes on with its new secret, which is not lost by going back', async () => {
  const own = await service.newClient({ name: 'Own', preset: 'admin' })
  await using opened = await openSignedIn(service, { path: '/keys', secret: own.secret })
  const { page } = opened
  await row(page, 'Own').getByRole('link', { name: 'Own' }).click()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByLabel('Keep the old secret for').selectOption('not at all')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const rotated = page.getByRole('dialog', { name: 'New secret of Own' })
  const next = await rotated.getByLabel('The secret').inputValue()
  expect((await service.as(next).get('/limits')).status).toBe(200)
  expect((await own.get('/limits')).status).toBe(401)
  await rotated.getByText('You are signed in with this key, and go on with its new secret.').waitFor()
  await page.goBack()
  const question = page.getByRole('dialog', { name: 'Leave without the secret?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await rotated.getByRole('button', { name: 'I’ve saved it' }).click()
  await page.getByRole('link', { name: 'Pets', exact: true }).click()
  await page.getByRole('heading', { name: 'Pets' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.reload()
  await page.getByRole('heading', { name: 'Pets' }).waitFor()
  await service.admin.delete(`/keys/${own.keyId}`)
})

inBrowser('the limits of an enterprise key are asked for when a key becomes one', async () => {
  const client = await service.newClient({ name: 'Grown', plan: 'pro' })
  await using opened = await openSignedIn(service, { path: `/keys/${client.keyId}` })
  const { page } = opened
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Plan').selectOption('enterprise')
  expect(await page.getByLabel('Per minute').inputValue()).toBe('')
  await page.getByLabel('Per minute').fill('300')
  await page.getByLabel('Per day').fill('20000')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('300 per minute, 20,000 per day').waitFor()
})

inBrowser(
  'the limits of the user’s key are in the corner, and the console waits after a 429 instead of showing it',
  async () => {
    const client = await service.newClient({
      plan: 'enterprise',
      preset: 'staff',
      limits: { perMinute: 40, perDay: 1_000 },
    })
    await service.admin.newPet()
    await using opened = await openSignedIn(service, { secret: client.secret, path: '/categories' })
    const { page } = opened
    const meter = page.getByRole('region', { name: 'Requests left for your key' })
    await page.getByRole('link', { name: 'Dogs' }).first().waitFor()
    await meter.getByText(/^3\d$/).waitFor()
    // Just before the minute ends, another client exhausts the key; the console waits until the minute is over.
    service.clock.set(Math.floor(service.clock.now() / 60_000) * 60_000 + 57_000)
    await flood(client, 39, 1)
    await page.getByRole('link', { name: 'Pets', exact: true }).click()
    await meter.getByText(/waiting \d+ s/).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    service.clock.advance(3_000)
    await page.getByRole('link', { name: 'Rex' }).first().waitFor()
  },
  200_000,
)

inBrowser('the key of the session is revoked only after a question, and can be undone', async () => {
  const manager = await service.newClient({ name: 'Office', preset: 'admin', plan: 'business' })
  await using opened = await openSignedIn(service, { path: `/keys/${manager.keyId}`, secret: manager.secret })
  const { page, faults } = opened
  await page.getByRole('button', { name: 'Revoke' }).waitFor()
  await stopClock(page)
  const dialog = page.getByRole('dialog', { name: 'Revoke Office?' })
  const answer = async (button: string) => {
    await page.locator('dialog').waitFor({ state: 'attached' })
    await page.clock.runFor(100)
    await dialog.getByRole('button', { name: button }).dblclick()
    await dialog.waitFor({ state: 'detached' })
  }
  // A double click on the button is no answer to the question.
  await page.getByRole('button', { name: 'Revoke' }).dblclick()
  await page.locator('dialog').waitFor({ state: 'attached' })
  await page.clock.runFor(100)
  await dialog.getByText('This is the key you use.').waitFor()
  await answer('Cancel')
  await page.clock.runFor(10_000)
  expect((await manager.get('/limits')).status).toBe(200)

  await page.getByRole('button', { name: 'Revoke' }).click()
  await answer('Revoke my key')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.clock.runFor(10_000)
  expect((await manager.get('/limits')).status).toBe(200)

  await page.getByRole('button', { name: 'Revoke' }).click()
  await answer('Revoke my key')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.clock.runFor(7_000)
  await eventually(async () => (await manager.get('/limits')).status === 401)
  expect(faults()).toEqual([])
})

inBrowser('the last key that manages keys for as long cannot be revoked, and the console says so at once', async () => {
  await service.newClient({
    name: 'Until tomorrow',
    preset: 'admin',
    plan: 'business',
    expiresAt: new Date(service.clock.now() + 86_400_000).toISOString(),
  })
  await using opened = await openSignedIn(service, { path: '/keys/1' })
  const { page } = opened
  await page.getByRole('button', { name: 'Revoke' }).waitFor()
  await stopClock(page)
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No other key that can manage keys is valid for as long').waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
})

inBrowser('a revoked key keeps its name in orders, is found by a filter of the list, and has a page', async () => {
  const kiosk = await service.newClient({ name: 'Kiosk' })
  const petId = await service.admin.newPet()
  const { body: order } = await kiosk.post('/store/orders', { petId })
  await service.admin.delete(`/keys/${kiosk.keyId}`)
  await using opened = await openSignedIn(service, { path: '/orders' })
  const { page, faults } = opened
  await row(page, `${order.id}`).getByRole('link', { name: 'Kiosk' }).first().waitFor()
  await page.getByRole('link', { name: `${order.id}`, exact: true }).click()
  await page.getByRole('list', { name: 'History' }).getByRole('link', { name: 'Kiosk' }).waitFor()

  await page.getByRole('link', { name: 'API keys' }).click()
  await row(page, 'yours').waitFor()
  expect(await row(page, 'Kiosk').count()).toBe(0)
  await page.getByLabel('State').selectOption('Revoked')
  await row(page, 'Kiosk').getByText('revoked').waitFor()
  expect(await row(page, 'yours').count()).toBe(0)
  await page.getByRole('link', { name: 'Kiosk' }).click()
  await page.getByRole('heading', { name: 'Kiosk' }).waitFor()
  await page.getByRole('list', { name: 'Bans and changes' }).getByText('Revoked').waitFor()
  for (const name of ['Rotate', 'Revoke', 'Edit']) expect(await page.getByRole('button', { name }).count()).toBe(0)
  expect(faults()).toEqual([])
})
