import { afterAll, expect } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row, setStatus } from './harness.ts'

const service = await startService()
const dogs = await service.admin.newCategory('Dogs')
const ferrets = await service.admin.newCategory('Ferrets')
afterAll(() => service.stop())

interface Profile {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: string
  readonly stock: number
}

const profiles = async (q: string): Promise<Profile[]> =>
  (await service.admin.get(`/pets/profiles?q=${q}&limit=100`)).body

async function register(names: readonly string[]): Promise<number[]> {
  const { body } = await service.admin.post(
    '/pets/batch',
    names.map((name) => ({ name, categoryId: dogs })),
  )
  return (body as Profile[]).map(({ id }) => id)
}

inBrowser('all pets that match, on every page, are moved to a category and get a stock', async () => {
  await register(Array.from({ length: 60 }, (_, index) => `Herd ${index}`))
  await register(['Loner'])
  await using opened = await openSignedIn(service, { path: '/pets?q=Herd' })
  const { page, faults } = opened
  await page.getByRole('link', { name: 'Herd 49', exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByText('50 pets selected').waitFor()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await page.getByText('60 pets selected').waitFor()

  // By keyboard: the category, then the stock.
  await page.getByRole('button', { name: 'Move to…' }).press('Enter')
  const move = page.getByRole('dialog', { name: 'Move 60 pets' })
  await move.getByText('Takes 60 of your requests.').waitFor()
  await move.getByRole('combobox', { name: 'Category' }).fill('Ferrets')
  await page.getByRole('option', { name: 'Ferrets' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  const moved = page.getByRole('dialog', { name: 'Move 60 pets to Ferrets' })
  await moved.getByText('60 pets moved to Ferrets.').waitFor()
  await moved.getByRole('button', { name: 'Done' }).press('Enter')
  expect(new Set((await profiles('Herd')).map(({ categoryId }) => categoryId))).toEqual(new Set([ferrets]))

  await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
  await page.getByRole('button', { name: 'Select all that match' }).press('Enter')
  await page.getByText('60 pets selected').waitFor()
  await page.getByRole('button', { name: 'Set stock…' }).press('Enter')
  await page.getByRole('dialog', { name: 'Set the stock of 60 pets' }).getByLabel('In stock, of each').fill('7')
  await page.keyboard.press('Enter')
  await page.getByText('60 pets with 7 in stock.').waitFor()
  expect(new Set((await profiles('Herd')).map(({ stock }) => stock))).toEqual(new Set([7]))
  expect((await profiles('Loner')).map(({ categoryId, stock }) => [categoryId, stock])).toEqual([[dogs, 1]])
  expect(faults()).toEqual([])
})

inBrowser('all pets that match can be selected on the last page too', async () => {
  await register(Array.from({ length: 51 }, (_, index) => `Crowd ${index}`))
  await using opened = await openSignedIn(service, { path: '/pets?q=Crowd' })
  const { page } = opened
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('1 shown').waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await page.getByText('51 pets selected').waitFor()
})

inBrowser('who clears the selection while all that match are read gets none of them', async () => {
  await register(Array.from({ length: 60 }, (_, index) => `Shoal ${index}`))
  await using opened = await openSignedIn(service, { path: '/pets?q=Shoal' })
  const { page } = opened
  const waiting = Promise.withResolvers<void>()
  const read = page.waitForRequest(/\/pets\?.*limit=100/)
  await page.route(/\/pets\?.*limit=100/, async (route) => {
    await waiting.promise
    // The console may have given it up.
    await route.continue().catch(() => undefined)
  })
  await page.getByRole('checkbox', { name: 'Select Shoal 1', exact: true }).check()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await read
  await page.getByRole('button', { name: 'Clear selection' }).click()
  waiting.resolve()
  await page.getByRole('checkbox', { name: 'Select Shoal 2', exact: true }).check()
  await page.getByText('1 pet selected').waitFor()
})

inBrowser('who stops reading all that match keeps the selection, and is told of no failure', async () => {
  await register(Array.from({ length: 60 }, (_, index) => `Swarm ${index}`))
  await using opened = await openSignedIn(service, { path: '/pets?q=Swarm' })
  const { page } = opened
  const read = page.waitForRequest(/\/pets\?.*limit=100/)
  await page.route(/\/pets\?.*limit=100/, () => undefined)
  await page.getByRole('checkbox', { name: 'Select Swarm 1', exact: true }).check()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await read
  await page.getByRole('button', { name: /^Stop, \d+ found$/ }).click()
  await page.getByRole('button', { name: 'Select all that match' }).waitFor()
  await page.getByText('1 pet selected').waitFor()
  expect(await page.locator('.toast').count()).toBe(0)
})

inBrowser('what failed and was then stopped can be continued', async () => {
  await register(Array.from({ length: 6 }, (_, index) => `Pack ${index}`))
  await using opened = await openSignedIn(service, { path: '/pets?q=Pack' })
  const { page } = opened
  await page.getByRole('link', { name: 'Pack 5' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  let sent = 0
  await page.route(/\/pets\/\d+$/, (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    // The first is rejected, the others get no response.
    const body = { code: 'insufficient_scope', message: 'No.', status: 403, requestId: 'x', docs: 'x' }
    return sent++ === 0 ? route.fulfill({ status: 403, json: body }) : undefined
  })
  await setStatus(page, 'pending')
  const dialog = page.getByRole('dialog')
  await dialog.locator('.failure').waitFor()
  await dialog.getByRole('button', { name: 'Stop' }).click()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText(/^6 pets/).waitFor()
  expect(new Set((await profiles('Pack')).map(({ status }) => status))).toEqual(new Set(['pending']))
})

inBrowser('a pet that was deleted meanwhile is reported, and the others get their stock', async () => {
  const [gone = 0] = await register(['Flock one', 'Flock two', 'Flock three'])
  await using opened = await openSignedIn(service, { path: '/pets?q=Flock' })
  const { page } = opened
  await page.getByRole('link', { name: 'Flock three' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await service.admin.delete(`/pets/${gone}`)
  await page.getByRole('button', { name: 'Set stock…' }).click()
  await page.getByLabel('In stock, of each').fill('4')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('2 pets with 4 in stock, 1 rejected.').waitFor()
  await page.getByRole('rowheader', { name: 'Flock one' }).waitFor()
  expect((await profiles('Flock')).map(({ stock }) => stock)).toEqual([4, 4])
})

inBrowser('a key that loses its right stops with what is left, and goes on when it has it again', async () => {
  await register(['Queue one', 'Queue two', 'Queue three'])
  const staff = await service.newClient({ preset: 'staff' })
  const { scopes } = (await service.admin.get(`/keys/${staff.keyId}`)).body as { scopes: string[] }
  const allow = (allowed: string[]) => service.admin.patch(`/keys/${staff.keyId}`, { scopes: allowed })
  await using opened = await openSignedIn(service, { path: '/pets?q=Queue', secret: staff.secret })
  const { page } = opened
  await page.getByRole('link', { name: 'Queue three' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await allow(scopes.filter((scope) => scope !== 'pets:write'))
  await setStatus(page, 'pending')
  const dialog = page.getByRole('dialog', { name: 'Set 3 pets to pending' })
  await dialog.getByText('0 pets set to pending, stopped with 3 left.').waitFor()
  await dialog.getByText('Your key lacks the scope for this').waitFor()
  await allow(scopes)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('3 pets set to pending.').waitFor()
  expect((await profiles('Queue')).map(({ status }) => status)).toEqual(['pending', 'pending', 'pending'])
})

inBrowser('pets are filtered by stock and sorted by their headers', async () => {
  const [empty, low, full] = await register(['Shelf none', 'Shelf low', 'Shelf full'])
  await service.admin.put(`/store/inventory/${empty}`, { quantity: 0 })
  await service.admin.put(`/store/inventory/${low}`, { quantity: 2 })
  await service.admin.put(`/store/inventory/${full}`, { quantity: 9 })
  await using opened = await openSignedIn(service, { path: '/pets?q=Shelf' })
  const { page } = opened
  const names = () => page.locator('tbody a.name').allInnerTexts()
  await page.getByRole('link', { name: 'Shelf full' }).waitFor()
  await page.getByLabel('Stock', { exact: true }).selectOption('few left')
  // The rows are taken away while the list loads.
  await page.getByRole('link', { name: 'Shelf full' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Shelf low' }).waitFor()
  expect(await names()).toEqual(['Shelf low'])
  await page.getByLabel('Stock', { exact: true }).selectOption('in stock')
  await page.getByRole('link', { name: 'Shelf full' }).waitFor()
  expect(await names()).toEqual(['Shelf low', 'Shelf full'])

  // By keyboard: the header says how the list is sorted.
  const header = page.getByRole('columnheader', { name: 'Name' })
  expect(await header.getAttribute('aria-sort')).toBe('none')
  await page.getByRole('button', { name: 'Name' }).press('Enter')
  await page.locator('tbody tr:first-child').getByRole('link', { name: 'Shelf full' }).waitFor()
  expect(await header.getAttribute('aria-sort')).toBe('ascending')
  await page.getByRole('button', { name: 'Name' }).press('Enter')
  await page.locator('tbody tr:first-child').getByRole('link', { name: 'Shelf low' }).waitFor()
  expect(await header.getAttribute('aria-sort')).toBe('descending')
})

inBrowser('a held status is said, and released to what the stock says', async () => {
  const [stocked, sold, ordered, waiting] = await register([
    'Held stocked',
    'Held sold',
    'Held ordered',
    'Held waiting',
  ])
  await service.admin.patch(`/pets/${stocked}`, { status: 'sold' })
  await service.admin.patch(`/pets/${sold}`, { status: 'pending' })
  await service.admin.put(`/store/inventory/${sold}`, { quantity: 0 })
  await service.admin.post('/store/orders', { petId: ordered })
  await service.admin.patch(`/pets/${ordered}`, { status: 'sold' })
  await service.admin.put(`/store/inventory/${waiting}`, { quantity: 2 })
  await service.admin.post('/store/orders', { petId: waiting })
  await service.admin.patch(`/pets/${waiting}`, { status: 'pending' })
  await service.admin.put(`/store/inventory/${waiting}`, { quantity: 0 })
  await using opened = await openSignedIn(service, { path: '/pets?q=Held' })
  const { page, faults } = opened
  await row(page, 'Held stocked').getByText('held', { exact: true }).waitFor()
  const release = async (name: string, press: boolean) => {
    await page.getByRole('link', { name }).click()
    await page.getByText('Held by hand').waitFor()
    const button = page.getByRole('button', { name: 'Release' })
    await (press ? button.press('Enter') : button.click())
  }
  const statusOf = async (id: number | undefined) => {
    const { status, held } = (await service.admin.get(`/pets/${id}/profile`)).body
    return [status, held]
  }
  await release('Held stocked', false)
  await page.getByText('Held stocked follows its stock again: available.').waitFor()
  await page.getByText('Held by hand').waitFor({ state: 'detached' })
  expect(await statusOf(stocked)).toEqual(['available', false])
  await page.goBack()
  await release('Held sold', true)
  await page.getByText('Held sold follows its stock again: sold.').waitFor()
  expect(await statusOf(sold)).toEqual(['sold', false])
  await page.goBack()
  await release('Held waiting', false)
  await page.getByText('Held waiting follows its stock again: pending.').waitFor()
  expect(await statusOf(waiting)).toEqual(['pending', false])
  // Nothing releases this one: the stock says pending, and a sold pet cannot become pending.
  await page.goBack()
  await release('Held ordered', true)
  await page.getByText('Held ordered stays sold').waitFor()
  expect(await statusOf(ordered)).toEqual(['sold', true])
  expect(faults()).toEqual([])
  // As if the pet had been deleted a moment before.
  await page.route(/\/pets\/\d+$/, (route) => route.continue({ url: `${service.url}/pets/987654` }))
  await page.locator('.toast').getByRole('button', { name: 'Dismiss' }).last().click()
  await page.getByRole('button', { name: 'Release' }).click()
  await page.locator('.toast.bad', { hasText: 'request' }).waitFor()
})

inBrowser(
  'a pet has a glyph by its category, a reptile by its name, and a colour that a new name does not change',
  async () => {
    const axolotls = await service.admin.newCategory('Axolotls')
    const reptiles = await service.admin.newCategory('Reptiles')
    const [rex] = await register(['Glyph Rex', 'Glyph Bella'])
    for (const name of ['Glyph corn snake', 'Glyph gecko', 'Glyph tortoise']) {
      await service.admin.post('/pets', { name, categoryId: reptiles })
    }
    await service.admin.post('/pets', { name: 'Glyph Rex', categoryId: axolotls })
    await using opened = await openSignedIn(service, { path: '/pets?q=Glyph' })
    const { page } = opened
    const glyphs = async () =>
      (await page.evaluate(`[...document.querySelectorAll('tbody .pet-glyph')]
      .map((glyph) => [glyph.dataset.kind, getComputedStyle(glyph).backgroundColor])`)) as [string, string][]
    await page.getByRole('link', { name: 'Glyph Bella' }).waitFor()
    const before = await glyphs()
    expect(before.map(([kind]) => kind)).toEqual(['dog', 'dog', 'snake', 'gecko', 'reptile', 'A'])
    expect(before[0]?.[1]).not.toBe(before[1]?.[1])
    await service.admin.patch(`/pets/${rex}`, { name: 'Glyph Max' })
    await page.getByRole('link', { name: 'Glyph Max' }).waitFor()
    expect(await glyphs()).toEqual(before)
    await page.getByRole('link', { name: 'Glyph Bella' }).click()
    await page.locator('.heading .pet-glyph[data-kind="dog"]').waitFor()
  },
)

inBrowser('two categories with the same name can be told apart', async () => {
  const first = await service.admin.newCategory('Twins')
  const { body: second } = await service.admin.post('/categories', { name: 'Twins', description: 'The younger ones' })
  await service.admin.post('/pets', { name: 'Castor', categoryId: first })
  await service.admin.post('/pets', { name: 'Castor the younger', categoryId: second.id })
  await using opened = await openSignedIn(service, { path: '/pets?q=Castor' })
  const { page } = opened
  await row(page, 'Castor the younger').getByText(`#${second.id}`, { exact: true }).waitFor()
  await row(page, 'Castor').first().getByText(`#${first}`, { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Category' }).fill('Twins')
  await page.getByRole('option', { name: `Twins #${second.id} The younger ones` }).click()
  await page.getByRole('link', { name: 'Castor', exact: true }).waitFor({ state: 'detached' })
  // The address alone selects it, too.
  await page.reload()
  await page.getByRole('link', { name: 'Castor the younger' }).waitFor()
  const filter = page.getByRole('combobox', { name: 'Category' })
  await eventually(async () => (await filter.inputValue()) === `Twins #${second.id}`)
  await page.getByRole('link', { name: 'Castor the younger' }).click()
  await page.getByText('The younger ones').waitFor()
})
