import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row, runCommand, stopClock, waitForFocus } from './harness.ts'

const service = await startService()
const categoryId = await service.admin.newCategory('Dogs')
afterAll(() => service.stop())

const undoMs = 7_000

/** New pets, five of each in stock. */
async function newPets<Names extends readonly string[]>(...names: Names): Promise<{ [K in keyof Names]: number }> {
  const ids = []
  for (const name of names) {
    const { body } = await service.admin.post('/pets', { name, categoryId })
    await service.admin.put(`/store/inventory/${body.id}`, { quantity: 5 })
    ids.push(body.id)
  }
  return ids as { [K in keyof Names]: number }
}
const exists = async (id: number) => (await service.admin.get(`/pets/${id}/profile`)).status === 200
const newOrder = async (petId: number) => (await service.admin.post('/store/orders', { petId })).body.id as number
const order = async (id: number) => (await service.admin.get(`/store/orders/${id}`)).body
const deleteButton = (page: Page, name: string) => page.getByRole('button', { name: `Delete ${name}`, exact: true })
const undoButton = (page: Page, text: string) => row(page, text).getByRole('button', { name: 'Undo' })
const decoration = (page: Page, name: string) =>
  page.evaluate(`getComputedStyle([...document.querySelectorAll('a.name')]
    .find(({ textContent }) => textContent === '${name}').closest('td')).textDecorationLine`)

/** Opens a list whose time stands still, and records the changes that the page sends. */
async function openList(path: string, waitFor: string, secret = service.adminSecret) {
  const opened = await openSignedIn(service, { path, secret })
  const { page } = opened
  await row(page, waitFor).first().waitFor()
  await stopClock(page)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  return Object.assign(opened, { sent })
}

inBrowser('a double click deletes one pet: no row moves, and it stays struck through until it is sent', async () => {
  const [first, second] = await newPets('Double one', 'Double two')
  await using opened = await openList('/pets?q=Double', 'Double two')
  const { page, sent, faults } = opened
  const before = await row(page, 'Double two').boundingBox()
  await deleteButton(page, 'Double one').dblclick()
  await undoButton(page, 'Double one').waitFor()
  await waitForFocus(page, 'Undo')
  expect(await decoration(page, 'Double one')).toBe('line-through')
  expect(await decoration(page, 'Double two')).toBe('none')
  expect(await row(page, 'Double two').boundingBox()).toEqual(before)
  await page.clock.runFor(undoMs - 1)
  expect(sent).toEqual([])
  expect(await page.getByText('was deleted').count()).toBe(0)
  await page.clock.runFor(1)
  await page.getByText('Double one was deleted.').waitFor()
  await row(page, 'Double one').waitFor({ state: 'detached' })
  await waitForFocus(page, 'Double two')
  // The message disappears automatically.
  await page.clock.runFor(undoMs - 1)
  expect(await page.getByText('Double one was deleted.').count()).toBe(1)
  await page.clock.runFor(1)
  await page.getByText('Double one was deleted.').waitFor({ state: 'detached' })
  expect(sent).toEqual([`DELETE /pets/${first}`])
  expect([await exists(first), await exists(second)]).toEqual([false, true])
  expect(faults()).toEqual([])
})

inBrowser('by keyboard: Delete moves the focus to Undo, and Undo back; a held key does not undo', async () => {
  const [id] = await newPets('Keyed')
  await using opened = await openList('/pets?q=Keyed', 'Keyed')
  const { page, sent } = opened
  await deleteButton(page, 'Keyed').focus()
  await page.keyboard.down('Enter')
  await undoButton(page, 'Keyed').waitFor()
  await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await waitForFocus(page, 'Undo')
  await page.keyboard.press('Enter')
  await undoButton(page, 'Keyed').waitFor({ state: 'detached' })
  await waitForFocus(page, 'Delete Keyed')
  // The time that the undone deletion had waited does not count for the next one.
  await page.clock.runFor(undoMs - 1)
  await page.keyboard.press('Space')
  await undoButton(page, 'Keyed').waitFor()
  await page.clock.runFor(undoMs - 1)
  expect(sent).toEqual([])
  await page.clock.runFor(1)
  await page.getByText('Keyed was deleted.').waitFor()
  expect(await exists(id)).toBeFalse()
})

inBrowser('what is being sent cannot be undone any more', async () => {
  const [id] = await newPets('On its way')
  await using opened = await openList('/pets?q=On+its+way', 'On its way')
  const { page } = opened
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(`**/pets/${id}`, async (route) => {
    await released
    await route.continue()
  })
  await deleteButton(page, 'On its way').click()
  const undo = await undoButton(page, 'On its way').elementHandle()
  await page.clock.runFor(undoMs)
  await undo?.evaluate((button) => (button as unknown as { click(): void }).click())
  await page.getByText('Being deleted').waitFor()
  release()
  await page.getByText('On its way was deleted.').waitFor()
  expect(await exists(id)).toBeFalse()
})

inBrowser('six quick deletions are all sent on time, except the one that was undone', async () => {
  const names = ['Quick a', 'Quick b', 'Quick c', 'Quick d', 'Quick e', 'Quick f']
  const ids = await newPets(...names)
  await using opened = await openList('/pets?q=Quick', 'Quick f')
  const { page, sent } = opened
  for (const name of names) await deleteButton(page, name).click()
  await undoButton(page, 'Quick b').click()
  await page.clock.runFor(undoMs)
  await eventually(async () => (await Promise.all(ids.map(exists))).filter(Boolean).length === 1)
  await row(page, 'Quick f').waitFor({ state: 'detached' })
  await row(page, 'Quick b').waitFor()
  expect(sent).toHaveLength(5)
})

inBrowser('what was undone is not deleted by leaving the page, by mouse or by keyboard', async () => {
  const ids = await newPets('Stays one', 'Stays two')
  await using opened = await openList('/pets?q=Stays', 'Stays two')
  const { page, sent } = opened
  await deleteButton(page, 'Stays one').click()
  await undoButton(page, 'Stays one').click()
  await deleteButton(page, 'Stays two').press('Enter')
  await undoButton(page, 'Stays two').press('Enter')
  await page.getByRole('link', { name: 'Categories' }).click()
  await page.getByRole('heading', { name: 'Categories' }).waitFor()
  await page.goto(`${service.url}/docs`)
  expect(sent).toEqual([])
  expect(await Promise.all(ids.map(exists))).toEqual([true, true])
})

inBrowser('a pending deletion is sent by another screen, another page, a closed tab and signing out', async () => {
  const ways: Record<string, (page: Page) => Promise<unknown>> = {
    'Gone by link': (page) => page.getByRole('link', { name: 'Categories' }).click(),
    'Gone by address': (page) => page.goto(`${service.url}/docs`),
    'Gone by reload': (page) => page.reload(),
    'Gone by closing': (page) => page.close({ runBeforeUnload: true }),
    'Gone by signing out': (page) => page.getByRole('button', { name: 'Sign out' }).click(),
    async 'Gone by command'(page) {
      await page.clock.resume()
      await runCommand(page, 'sign out')
    },
  }
  const names = Object.keys(ways)
  const ids = await newPets(...names)
  for (const [index, name] of names.entries()) {
    await using opened = await openList('/pets?q=Gone', name)
    const { page } = opened
    await deleteButton(page, name).click()
    await undoButton(page, name).waitFor()
    expect([name, await exists(ids[index] ?? 0)]).toEqual([name, true])
    await ways[name]?.(page)
    await eventually(async () => !(await exists(ids[index] ?? 0)))
  }
})

inBrowser('a small change outlives the page, a read and a large change do not', async () => {
  const [id] = await newPets('Kept alive')
  await using opened = await openSignedIn(service, { path: '/categories?do=new' })
  const { page } = opened
  await page.evaluate(`
    window.kept = []
    const send = window.fetch
    window.fetch = (url, init) => {
      window.kept.push([init.method, String(init.body ?? '').length, init.keepalive])
      return send(url, init)
    }`)
  /** A text that has this length in JSON, where a quote has two characters. */
  const lengthInJson = (length: number) => '"'.repeat(Math.floor(length / 2)) + 'x'.repeat(length % 2)
  const overhead = JSON.stringify({ name: 'Long', description: '' }).length
  for (const [name, length] of [
    ['Long', 4_000],
    ['Size', 4_001],
  ] as const) {
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('textbox', { name: 'Description' }).fill(lengthInJson(length - overhead))
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText(`${name} was created.`).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    if (name === 'Long') await page.getByRole('button', { name: 'Create a category' }).click()
  }
  await page.getByRole('link', { name: 'Pets' }).click()
  await deleteButton(page, 'Kept alive').click()
  await page.getByRole('link', { name: 'Categories' }).click()
  await eventually(async () => !(await exists(id)))
  const kept = (await page.evaluate('window.kept')) as [method: string, length: number, keepalive: boolean][]
  expect(kept.filter(([method]) => method !== 'GET')).toEqual([
    ['POST', 4_000, true],
    ['POST', 4_001, false],
    ['DELETE', 0, true],
  ])
  expect(kept.some(([method, , keepalive]) => method === 'GET' && keepalive)).toBe(false)
})

inBrowser('completing an order can be undone, and is far from Cancel', async () => {
  const [petId] = await newPets('Ordered')
  const [first, second] = [await newOrder(petId), await newOrder(petId)]
  await using opened = await openList(`/orders?petId=${petId}`, 'Ordered')
  const { page, sent } = opened
  const complete = (id: number) => page.getByRole('button', { name: `Complete order ${id}` })
  const box = await complete(first).boundingBox()
  const other = await page.getByRole('button', { name: `Cancel order ${first}` }).boundingBox()
  expect((other?.x ?? 0) - (box?.x ?? 0) - (box?.width ?? 0)).toBeGreaterThanOrEqual(32)
  const undo = page.getByRole('button', { name: 'Undo' })
  await complete(first).dblclick()
  await page.getByText('Will be completed').waitFor()
  await undo.click()
  await complete(second).press('Enter')
  await waitForFocus(page, 'Undo')
  await page.keyboard.press('Enter')
  await waitForFocus(page, `Complete order ${second}`)
  expect(sent).toEqual([])

  // One is completed in time, the other by closing the tab.
  await complete(first).click()
  await page.clock.runFor(undoMs)
  await page.getByText(`Order ${first} was completed.`).waitFor()
  await complete(first).waitFor({ state: 'detached' })
  expect((await order(first)).complete).toBeTrue()
  await complete(second).click()
  await undo.waitFor()
  expect((await order(second)).complete).toBeFalse()
  await page.close({ runBeforeUnload: true })
  await eventually(async () => (await order(second)).complete === true)
})

inBrowser('the screens of a pet and an order show what will happen, with Undo in place of the actions', async () => {
  const [petId] = await newPets('Alone')
  const orderId = await newOrder(petId)
  await using opened = await openSignedIn(service, { path: `/orders/${orderId}` })
  const { page } = opened
  await page.getByRole('button', { name: 'Complete' }).waitFor()
  await stopClock(page)
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByText('Will be completed').waitFor()
  await page.clock.runFor(undoMs)
  await page.getByText(`Order ${orderId} was completed.`).waitFor()
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  await waitForFocus(page, `Order ${orderId}`)
  await page.clock.resume()
  await page.getByRole('link', { name: 'Alone' }).click()
  await page.getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByText('Will be deleted').waitFor()
  await waitForFocus(page, 'Undo')
  await page.clock.runFor(undoMs)
  await page.getByText('Alone was deleted.').waitFor()
  await page.getByRole('heading', { name: 'Pets' }).waitFor()
  expect(await exists(petId)).toBeFalse()
})

inBrowser('a rejection that can be known comes at once, is said once, and nothing is sent', async () => {
  const [petId] = await newPets('Wanted')
  await newOrder(petId)
  await using opened = await openList('/pets?q=Wanted', 'Wanted')
  const { page, sent } = opened
  const reason = page.getByText('This pet has open orders')
  for (const start of [() => deleteButton(page, 'Wanted').click(), () => page.keyboard.press('Enter')]) {
    await start()
    await undoButton(page, 'Wanted').waitFor({ state: 'detached' })
    await reason.waitFor()
    await waitForFocus(page, 'Delete Wanted')
  }
  expect(await reason.count()).toBe(1)
  await page.clock.runFor(undoMs)
  expect(sent).toEqual([])
  expect(await page.getByText('was deleted').count()).toBe(0)
  // Unlike a success, it stays until it is closed.
  await page.clock.runFor(undoMs)
  expect(await reason.count()).toBe(1)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await reason.waitFor({ state: 'detached' })
})

inBrowser('a rejection that comes later puts the row back with the reason, said once', async () => {
  const [petId] = await newPets('Late')
  await using opened = await openList('/pets?q=Late', 'Late')
  const { page } = opened
  const checked = page.waitForResponse((response) => response.url().includes('/store/orders'))
  await deleteButton(page, 'Late').click()
  await checked
  await newOrder(petId)
  await page.clock.runFor(undoMs)
  await page.getByText('This pet has open orders').waitFor()
  await undoButton(page, 'Late').waitFor({ state: 'detached' })
  expect(await decoration(page, 'Late')).toBe('none')
  expect(await page.getByText('This pet has open orders').count()).toBe(1)
  expect(await page.getByText('was deleted').count()).toBe(0)
  await waitForFocus(page, 'Delete Late')
})
