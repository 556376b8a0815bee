import { afterAll, expect } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn } from './harness.ts'

const service = await startService()
afterAll(() => service.stop())

inBrowser('every empty list says what to do, and does it', async () => {
  await using opened = await openSignedIn(service, { path: '/categories' })
  const { page, faults } = opened
  const dialogs = {
    '/categories': ['Create the first category', 'Create a category'],
    '/pets': ['Create the first pet', 'Create a pet'],
    '/orders': ['Place the first order', 'Place an order'],
    '/webhooks': ['Add the first webhook', 'Add a webhook'],
  }
  for (const [path, [action = '', title = '']] of Object.entries(dialogs)) {
    await page.goto(`${service.url}/console${path}`)
    await page.getByRole('button', { name: action }).press('Enter')
    await page.getByRole('dialog', { name: title }).waitFor()
  }
  await page.goto(`${service.url}/console/pets`)
  await page.getByRole('button', { name: 'Import a file' }).click()
  await page.getByRole('dialog', { name: 'Import pets' }).waitFor()
  await page.goto(`${service.url}/console/inventory`)
  await page.getByRole('link', { name: 'Create the first pet' }).click()
  await page.getByRole('dialog', { name: 'Create a pet' }).waitFor()
  for (const [path, action] of [
    ['/orders?state=cancelled', 'Show all orders'],
    ['/keys?q=none+has+this+name', 'Show the keys in use'],
    ['/categories?q=none', 'Show all categories'],
    ['/inventory?maxQuantity=0', 'Show all stock'],
  ]) {
    await page.goto(`${service.url}/console${path}`)
    await page.getByRole('link', { name: action ?? '' }).press('Enter')
    await page.getByRole('link', { name: action ?? '' }).waitFor({ state: 'detached' })
  }
  expect(faults()).toEqual([])
})

inBrowser('the first steps of a shop are ticked as they are done, and go when all are', async () => {
  await using opened = await openSignedIn(service)
  const { page, faults } = opened
  const steps = page.getByRole('region', { name: 'Set up your shop' })
  const done = async () =>
    (await steps.locator('.done > span:first-of-type').allInnerTexts()).map((text) => text.split('\n')[0]?.trim())
  await steps.getByText('5 left').waitFor()

  // The pet's form creates the category that is missing, by keyboard.
  await steps.getByRole('link', { name: 'Create a pet' }).press('Enter')
  const form = page.getByRole('dialog', { name: 'Create a pet' })
  await form.getByLabel('Name').fill('Slinky')
  await form.getByRole('combobox', { name: 'Category' }).click()
  await form.getByText('Nothing here yet. Type a name to create one.').waitFor()
  await form.getByRole('combobox', { name: 'Category' }).fill('Ferrets')
  await page.getByRole('option', { name: 'Create “Ferrets”' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Ferrets was created.').waitFor()
  await form.getByLabel('Name').press('Enter')
  await page.getByText('Slinky was created.').waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await steps.getByText('3 left').waitFor()
  expect(await done()).toEqual(['Create a category', 'Create a pet'])

  await steps.getByRole('link', { name: 'Count your stock' }).click()
  await page.getByRole('button', { name: 'Add one Slinky' }).click()
  await page.getByText('Slinky: 2 in stock.').waitFor()
  await service.admin.post('/keys', { name: 'App', plan: 'free', preset: 'client' })
  await page.getByRole('link', { name: 'Overview' }).click()
  await steps.getByText('1 left').waitFor()
  expect(await done()).toEqual(['Create a category', 'Create a pet', 'Count your stock', 'Create an API key'])

  await service.admin.post('/webhooks', { url: 'https://shop.example/hooks', events: ['order.*'] })
  await page.reload()
  await page.getByRole('heading', { name: 'Latest events' }).waitFor()
  await steps.waitFor({ state: 'detached' })
  expect(faults()).toEqual([])
})

inBrowser('the category picker offers what is there before it creates another', async () => {
  const { body: category } = await service.admin.post('/categories', { name: 'Snakes' })
  await using opened = await openSignedIn(service, { path: '/pets?do=new' })
  const { page } = opened
  const picker = page.getByRole('dialog').getByRole('combobox', { name: 'Category' })
  await page.getByRole('dialog').getByLabel('Name').fill('Kaa')
  await picker.fill('snakes')
  await page.getByRole('option', { name: 'Snakes' }).waitFor()
  expect(await page.getByRole('option', { name: 'Create' }).count()).toBe(0)
  await picker.fill('snake')
  await page.getByRole('option', { name: 'Create “snake”' }).waitFor()
  // Enter selects, and does not create the pet yet.
  await page.keyboard.press('Enter')
  expect(await picker.inputValue()).toBe('Snakes')
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Kaa was created.').waitFor()
  expect((await service.admin.get('/pets?q=Kaa')).body[0].categoryId).toBe(category.id)
})

inBrowser('a key that may not change the catalogue gets no offer to do so', async () => {
  const client = await service.newClient({ preset: 'client' })
  await using opened = await openSignedIn(service, { secret: client.secret })
  const { page } = opened
  await page.getByRole('heading', { name: 'Latest events' }).waitFor()
  expect(await page.getByRole('region', { name: 'Set up your shop' }).count()).toBe(0)
  await page.goto(`${service.url}/console/categories?q=none`)
  await page.getByText('No categories match this search').waitFor()
  expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0)
})
