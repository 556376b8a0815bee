import { afterAll, expect } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService } from '../../server/test/harness/service.ts'
import { choose, inBrowser, openSignedIn, row, setStatus, stopClock } from './harness.ts'

const service = await startService()
await service.admin.newCategory('Dogs')
await service.admin.newCategory('Cats')
afterAll(() => service.stop())

const newPet = async (name: string) => (await service.admin.post('/pets', { name, categoryId: 1 })).body.id as number
const profile = async (id: number) => (await service.admin.get(`/pets/${id}/profile`)).body

inBrowser('a pet is registered with a category selected by name, changed in its row, and deleted', async () => {
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page, faults } = opened
  await page.getByRole('button', { name: 'Create a pet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a pet' })
  // Choices come from the description, help from words.ts.
  await dialog.getByText('What you call it, such as Thumper.').waitFor()
  expect(await dialog.locator('option').allInnerTexts()).toEqual(['–', 'available', 'pending', 'sold'])
  await dialog.getByLabel('Name').fill('Maple')
  await dialog.getByRole('combobox', { name: 'Category' }).fill('ca')
  await page.getByRole('option', { name: 'Cats' }).click()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await row(page, 'Maple').getByText('Cats').waitFor()
  expect(await page.getByRole('region', { name: 'Selected pets' }).count()).toBe(0)
  const alignment = `getComputedStyle([...document.querySelectorAll('th')]
    .find(({ textContent }) => textContent === 'Stock')).textAlign`
  expect(await page.evaluate(alignment)).toBe('right')
  // A narrow window has no room for the category.
  await page.setViewportSize({ width: 390, height: 900 })
  await row(page, 'Maple').getByText('Cats').waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.getByRole('button', { name: 'Edit Maple' }).click()
  await row(page, 'Save').getByLabel('Name').fill('Maple the Second')
  await row(page, 'Save').getByLabel('Name').press('Enter')
  await page.getByRole('link', { name: 'Maple the Second' }).waitFor()
  const { id } = (await service.admin.get('/pets?q=Maple')).body[0]
  // The row shows the new name before the service has stored it.
  await eventually(async () => (await profile(id)).name === 'Maple the Second')
  // From then on it shows what others store, within ten seconds even while the pointer is on a button of the row.
  await service.admin.patch(`/pets/${id}`, { name: 'Maple the Third' })
  await page.clock.install()
  await eventually(async () => {
    await page.clock.fastForward(10_000)
    return page.getByRole('link', { name: 'Maple the Third' }).isVisible()
  })

  await stopClock(page)
  await page.getByRole('button', { name: 'Delete Maple the Third' }).click()
  await page.clock.runFor(7_000)
  await page.getByText('Maple the Third was deleted.').waitFor()
  await row(page, 'Maple').waitFor({ state: 'detached' })
  expect((await service.admin.get(`/pets/${id}/profile`)).status).toBe(404)

  // The search waits until nothing was typed for a moment, and shows no error of a search that another has replaced.
  const search = page.getByLabel('Search pets by name')
  await page.route(/\/pets\/profiles\?.*q=/, () => undefined)
  await search.pressSequentially('x')
  await page.clock.runFor(150)
  await search.pressSequentially('y')
  await page.clock.runFor(150)
  expect(page.url()).not.toContain('q=')
  const first = page.waitForRequest(/q=xy$|q=xy&/)
  await page.clock.runFor(150)
  await first
  await search.pressSequentially('z')
  const second = page.waitForRequest(/q=xyz/)
  await page.clock.runFor(500)
  await second
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(faults()).toEqual([])
})

inBrowser('a pet with open orders is not deleted, and its orders are linked', async () => {
  const id = await newPet('Hazel')
  await service.admin.post('/store/orders', { petId: id })
  await using opened = await openSignedIn(service, { path: '/pets' })
  const { page } = opened
  await page.getByRole('button', { name: 'Delete Hazel' }).click()
  await page.getByText('This pet has open orders').waitFor()
  await page.getByRole('link', { name: 'Hazel' }).waitFor()
  await page.getByRole('link', { name: 'Show its open orders' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await row(page, 'Hazel').waitFor()
  expect(page.url()).toContain(`petId=${id}`)
})

inBrowser('an edit conflict shows three versions and saves the selected ones', async () => {
  const id = await newPet('Poppy')
  await using opened = await openSignedIn(service, { path: `/pets/${id}` })
  const { page } = opened
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Poppy Mine')
  await choose(page, 'Category', 'Cats')
  await service.admin.patch(`/pets/${id}`, { name: 'Poppy Theirs' })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Someone else changed Poppy Theirs' })
  const cells = (field: string) => dialog.getByRole('row').filter({ hasText: field }).locator('td').allInnerTexts()
  await dialog.getByText('Cats').waitFor()
  expect((await cells('Name')).map((text) => text.trim())).toEqual(['Poppy', 'Poppy Theirs', 'Poppy Mine'])
  expect((await cells('Category')).map((text) => text.trim())).toEqual(['Dogs', 'Dogs', 'Cats'])
  expect(await dialog.getByRole('alert').count()).toBe(0)
  // Their name, my category.
  await dialog.getByRole('radio', { name: 'Poppy Theirs' }).check()
  await dialog.getByRole('button', { name: 'Save selection' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Poppy Theirs' }).waitFor()
  expect(await profile(id)).toMatchObject({ name: 'Poppy Theirs', categoryId: 2 })
  expect(page.url()).toBe(`${service.url}/console/pets/${id}`)
  // Both made the same change: there is nothing to choose.
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Poppy Both')
  await service.admin.patch(`/pets/${id}`, { name: 'Poppy Both' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Poppy Both' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

inBrowser('many pets are changed or deleted together, with a report of those that were rejected', async () => {
  const ids = [await newPet('Bulk one'), await newPet('Bulk two'), await newPet('Bulk three')]
  await service.admin.post('/store/orders', { petId: ids[1] })
  await using opened = await openSignedIn(service, { path: '/pets?q=Bulk' })
  const { page } = opened
  await page.getByRole('link', { name: 'Bulk three' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  // An arrow key chooses, and changes nothing yet.
  await page.getByLabel('Set status of the selected pets').press('ArrowDown')
  await page.getByRole('button', { name: 'Set to available' }).waitFor()
  await setStatus(page, 'sold')
  const first = page.getByRole('dialog', { name: 'Set 3 pets to sold' })
  await first.getByText('3 pets set to sold.').waitFor()
  await first.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await setStatus(page, 'available')
  const second = page.getByRole('dialog', { name: 'Set 3 pets to available' })
  await second.getByText('2 pets set to available, 1 rejected.').waitFor()
  await second.getByText('The stock does not allow this status').waitFor()
  await second.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete 3 pets' }).click()
  // Leaving the list ends the time to undo it.
  await page.getByRole('link', { name: 'Orders' }).click()
  const third = page.getByRole('dialog', { name: 'Delete 3 pets' })
  await third.getByText('2 pets deleted, 1 rejected.').waitFor()
  await third.getByRole('rowheader', { name: 'Bulk two' }).waitFor()
  await third.getByText('This pet has open orders').waitFor()
  expect((await service.admin.get('/pets?q=Bulk')).body).toHaveLength(1)
})

inBrowser('a category in use is not deleted, and its pets are linked', async () => {
  const staff = await service.newClient({ preset: 'staff' })
  const { scopes } = (await service.admin.get(`/keys/${staff.keyId}`)).body as { scopes: string[] }
  const allow = (allowed: string[]) => service.admin.patch(`/keys/${staff.keyId}`, { scopes: allowed })
  await using opened = await openSignedIn(service, { path: '/categories?q=Busy&do=new', secret: staff.secret })
  const { page } = opened
  // What was typed stays until the service accepts it.
  const dialog = page.getByRole('dialog', { name: 'Create a category' })
  await dialog.getByLabel('Name').fill('Busy')
  await dialog.getByLabel('Description').fill('Not for long')
  await allow(scopes.filter((scope) => scope !== 'pets:write'))
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Your key lacks the scope for this').waitFor()
  await allow(scopes)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Busy was created.').waitFor()
  // A description is optional, also once there is one.
  await page.getByRole('button', { name: 'Edit Busy' }).click()
  await page.getByLabel('Description').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const [{ id, description }] = (await service.admin.get('/categories?q=Busy')).body
  expect(description ?? null).toBeNull()

  await service.admin.post('/pets', { name: 'Busy bee', categoryId: id })
  await page.getByRole('button', { name: 'Delete Busy' }).click()
  await page.getByText('This category has pets').waitFor()
  await page.getByRole('link', { name: 'Show its pets' }).click()
  await page.getByRole('link', { name: 'Busy bee' }).waitFor()
})

inBrowser('several pets are created after each other, with their stock, and head the list', async () => {
  // More than one page, so that a new pet would be on the last.
  const others = Array.from({ length: 60 }, (_, index) => ({ name: `Other ${index}`, categoryId: 1 }))
  await service.admin.post('/pets/batch', others)
  await using opened = await openSignedIn(service, { path: '/pets?q=none+has+this+name' })
  const { page, faults } = opened
  await page.getByRole('button', { name: 'Create a pet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a pet' })
  await dialog.getByLabel('Name').pressSequentially('Twin one')
  await choose(page, 'Category', 'Cats')
  await dialog.getByLabel('In stock').pressSequentially('12')
  await dialog.getByLabel('Create another one after this').check()
  await dialog.getByLabel('Name').press('Enter')
  await page.getByText('Twin one was created.').waitFor()
  // The category stays, the rest is empty, and the focus is on the name.
  await eventually(async () => (await dialog.getByLabel('Name').inputValue()) === '')
  await eventually(async () => (await dialog.getByRole('combobox', { name: 'Category' }).inputValue()) === 'Cats')
  expect(await dialog.getByLabel('In stock').inputValue()).toBe('')
  await page.keyboard.type('Twin two')
  await dialog.getByLabel('Create another one after this').uncheck()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const rows = page.getByRole('table', { name: 'Pets' }).locator('tbody tr')
  await rows.nth(1).getByText('Twin one').waitFor()
  expect(await rows.nth(0).innerText()).toContain('Twin two')
  expect(
    (await service.admin.get('/pets/profiles?q=Twin&sort=id')).body.map(({ stock }: { stock: number }) => stock),
  ).toEqual([12, 1])
  // A single pet, too.
  await page.goto(`${service.url}/console/pets?do=new&q=none`)
  await dialog.getByLabel('Name').fill('Single')
  await choose(page, 'Category', 'Cats')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await rows.nth(0).getByText('Single').waitFor()
  expect(faults()).toEqual([])
})
