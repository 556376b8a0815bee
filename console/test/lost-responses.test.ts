import { afterAll, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, stopClock } from './harness.ts'

// What a user sends again after an error, or leaves while it is sent, is done once and disturbs nothing else.

const service = await startService()
afterAll(() => service.stop())

/** Lets the service do what the page sends, but loses its responses until the returned function is called. Counts the changes by key. */
async function loseResponses(page: Page, path: RegExp) {
  const keys: (string | undefined)[] = []
  let isLost = true
  await page.route(path, async (route) => {
    const { 'idempotency-key': key } = route.request().headers()
    if (route.request().method() === 'GET') return route.continue()
    keys.push(key)
    if (!isLost) return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  const restore = () => {
    isLost = false
  }
  return { keys, restore }
}

/** Lets time pass in the page, whose clock is stopped, until it shows this. */
const passUntil = (page: Page, shown: Locator) =>
  eventually(async () => {
    if (await shown.isVisible()) return true
    await page.clock.runFor(5_000)
    return false
  })

inBrowser('an order that is placed again after its response was lost is placed once', async () => {
  const petId = await service.admin.newPet(9)
  await using opened = await openSignedIn(service, { path: `/orders?do=new&petId=${petId}` })
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'Place an order' })
  const place = dialog.getByRole('button', { name: 'Place', exact: true })
  await dialog.getByLabel('Quantity').fill('2')
  const { keys, restore } = await loseResponses(page, /\/store\/orders$/)
  await stopClock(page)
  await place.click()
  await passUntil(page, dialog.locator('.failure'))
  expect(keys.length).toBeGreaterThan(1)
  restore()
  await place.click()
  await passUntil(page, page.getByText(/Order \d+ was placed\./))
  expect(new Set(keys).size).toBe(1)
  expect((await service.admin.get(`/store/inventory/${petId}`)).body.quantity).toBe(7)
})

inBrowser('an order on which the service still works when it is placed again is placed once', async () => {
  const petId = await service.admin.newPet(9)
  await using opened = await openSignedIn(service, { path: `/orders?do=new&petId=${petId}` })
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'Place an order' })
  const place = dialog.getByRole('button', { name: 'Place', exact: true })
  const { keys, restore } = await loseResponses(page, /\/store\/orders$/)
  await stopClock(page)
  await place.click()
  await passUntil(page, dialog.locator('.failure'))
  restore()
  const inProgress = { code: 'idempotency_in_progress', message: 'Still working on it.', status: 409 }
  await page.route(/\/store\/orders$/, (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    return route.fulfill({ status: 409, json: inProgress })
  })
  await place.click()
  await passUntil(page, dialog.getByText('Still working on it.'))
  await page.unroute(/\/store\/orders$/)
  const last = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/store/orders'))
  await place.click()
  keys.push((await last).headers()['idempotency-key'])
  await passUntil(page, page.getByText(/Order \d+ was placed\./))
  expect(new Set(keys).size).toBe(1)
  expect((await service.admin.get(`/store/inventory/${petId}`)).body.quantity).toBe(8)
})

inBrowser('an order that was rejected for its stock is placed once there is stock', async () => {
  const petId = await service.admin.newPet(1)
  await using opened = await openSignedIn(service, { path: `/orders?do=new&petId=${petId}` })
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'Place an order' })
  const place = dialog.getByRole('button', { name: 'Place', exact: true })
  await dialog.getByLabel('Quantity').fill('2')
  await place.click()
  await dialog.getByText('Not enough in stock').waitFor()
  await service.admin.put(`/store/inventory/${petId}`, { quantity: 2 })
  await place.click()
  await page.getByText(/Order \d+ was placed\./).waitFor()
})

inBrowser('one is added once, although the button was pressed again after an error', async () => {
  const petId = await service.admin.newPet(4)
  await service.admin.patch(`/pets/${petId}`, { name: 'Counted' })
  await using opened = await openSignedIn(service, { path: '/inventory?q=counted' })
  const { page } = opened
  const add = page.getByRole('button', { name: 'Add one Counted' })
  await add.waitFor()
  // The row stays as it is: its reloads get no response.
  await page.route(/\/pets\/profiles/, () => undefined)
  const { keys, restore } = await loseResponses(page, /\/adjustments$/)
  await stopClock(page)
  await add.click()
  await passUntil(page, page.locator('.toast.bad'))
  restore()
  await add.click()
  await passUntil(page, page.getByText(/Counted: \d+ in stock\./))
  expect(new Set(keys).size).toBe(1)
  expect((await service.admin.get(`/store/inventory/${petId}`)).body.quantity).toBe(5)
})

inBrowser('after its row shows what a lost response had done, the button adds another', async () => {
  const petId = await service.admin.newPet(4)
  await service.admin.patch(`/pets/${petId}`, { name: 'Shown' })
  await using opened = await openSignedIn(service, { path: '/inventory?q=shown' })
  const { page } = opened
  const add = page.getByRole('button', { name: 'Add one Shown' })
  await add.waitFor()
  const { keys, restore } = await loseResponses(page, /\/adjustments$/)
  await stopClock(page)
  await add.click()
  await passUntil(page, page.locator('.toast.bad'))
  restore()
  await eventually(async () => {
    await page.clock.runFor(5_000)
    return (await page.getByLabel('Shown in stock').inputValue()) === '5'
  })
  await add.click()
  await passUntil(page, page.getByText('Shown: 6 in stock.'))
  expect(new Set(keys).size).toBe(2)
})

inBrowser('a stock-take that is saved again after its response was lost is saved once', async () => {
  const petId = await service.admin.newPet(5)
  await service.admin.patch(`/pets/${petId}`, { name: 'Taken' })
  await using opened = await openSignedIn(service, { path: '/inventory?mode=count&q=taken' })
  const { page } = opened
  await page.getByLabel('Taken counted').fill('8')
  // Sold after it was counted, so it stays sold.
  await service.admin.post('/store/orders', { petId })
  await page.getByRole('button', { name: 'Review differences' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review the differences' })
  const save = dialog.getByRole('button', { name: 'Save 1 pet' })
  await save.waitFor()
  const { restore } = await loseResponses(page, /\/store\/inventory$/)
  await stopClock(page)
  await save.click()
  await passUntil(page, dialog.locator('.failure'))
  restore()
  await passUntil(page, dialog.getByText('saved already'))
  await save.click()
  await passUntil(page, page.getByText('The stock of 1 pet was corrected.'))
  expect((await service.admin.get(`/store/inventory/${petId}`)).body.quantity).toBe(7)
})

inBrowser('of two edits, the one that was asked for last is shown, although the other loads longer', async () => {
  const slow = await service.admin.newCategory('Newts')
  await service.admin.newCategory('Toads')
  await using opened = await openSignedIn(service, { path: '/categories' })
  const { page } = opened
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(new RegExp(`/categories/${slow}$`), async (route) => {
    await released
    await route.continue()
  })
  await page.getByRole('button', { name: 'Edit Newts' }).click()
  await page.getByRole('button', { name: 'Edit Toads' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Toads' })
  await dialog.waitFor()
  const loaded = page.waitForResponse(new RegExp(`/categories/${slow}$`))
  release()
  await (await loaded).finished()
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Toads')
})

inBrowser('an edit that begins while the one before is shown stays open', async () => {
  const categoryId = await service.admin.newCategory()
  for (const name of ['Row one', 'Row two']) await service.admin.post('/pets', { name, categoryId })
  await using opened = await openSignedIn(service, { path: '/pets?q=row' })
  const { page } = opened
  const name = page.locator('.row-edit').getByLabel('Name')
  await page.getByRole('button', { name: 'Edit Row one' }).click()
  await name.fill('Row first')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/pets\/profiles\?/, async (route) => {
    await released
    await route.continue()
  })
  await name.press('Enter')
  await page.getByText('Saved.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit Row two' }).click()
  await eventually(async () => (await name.inputValue()) === 'Row two')
  await name.fill('Half typed')
  release()
  await page.getByRole('link', { name: 'Row first' }).waitFor()
  expect(await name.inputValue()).toBe('Half typed')
})

inBrowser('the name of a key, whose load was left, is loaded again', async () => {
  const early = await service.newClient({ name: 'Early bird' })
  const petId = await service.admin.newPet(4)
  await early.post('/store/orders', { petId })
  // The latest hundred keys are listed together; earlier ones are loaded one by one.
  for (let count = 0; count < 101; count++) await service.newClient()
  await using opened = await openSignedIn(service, { path: '/inventory' })
  const { page } = opened
  const asked = Promise.withResolvers<void>()
  let isHeld = true
  await page.route(new RegExp(`/keys/${early.keyId}$`), (route) => {
    asked.resolve()
    return isHeld ? undefined : route.continue()
  })
  await page.getByRole('link', { name: 'Orders', exact: true }).click()
  await asked.promise
  isHeld = false
  await page.getByRole('link', { name: 'Inventory', exact: true }).click()
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Early bird' }).waitFor()
})

inBrowser('a response that comes after its form was left closes no other form', async () => {
  await using opened = await openSignedIn(service, { path: '/categories?do=new' })
  const { page } = opened
  const dialog = page.getByRole('dialog', { name: 'Create a category' })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/categories$/, async (route) => {
    if (route.request().method() === 'POST') await released
    await route.continue()
  })
  await dialog.getByLabel('Name').fill('Slow')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create a category' }).click()
  await dialog.getByLabel('Name').fill('Half typed')
  release()
  await page.getByText('Slow was created.').waitFor()
  await page.getByRole('row').filter({ hasText: 'Slow' }).waitFor({ state: 'attached' })
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Half typed')
})

inBrowser('a count that was not saved stays in its field', async () => {
  const petId = await service.admin.newPet(4)
  await service.admin.patch(`/pets/${petId}`, { name: 'Typed' })
  await using opened = await openSignedIn(service, { path: '/inventory?q=typed' })
  const { page } = opened
  const field = page.getByLabel('Typed in stock')
  await field.fill('30')
  const error = { code: 'validation_failed', status: 400, message: 'No.', requestId: 'x', docs: 'x', errors: [] }
  await page.route(`**/store/inventory/${petId}`, (route) => route.fulfill({ status: 400, json: error }))
  await field.press('Enter')
  await page.locator('.toast.bad').waitFor()
  expect(await field.inputValue()).toBe('30')
  await page.getByRole('button', { name: 'Add one Typed' }).click()
  await page.getByText('Typed: 5 in stock.').waitFor()
  expect(await field.inputValue()).toBe('30')
})
