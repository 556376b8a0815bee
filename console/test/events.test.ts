import { afterAll, expect } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService, testClock } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row, waitForFocus } from './harness.ts'

const service = await startService({ clock: testClock(Date.now()) })
afterAll(() => service.stop())

inBrowser('events are listed newest first, new ones appear at the top, and each opens to what changed', async () => {
  const petId = await service.admin.newPet()
  await service.admin.patch(`/pets/${petId}`, { name: 'Before the page was open' })
  await using opened = await openSignedIn(service, { path: '/events' })
  const { page, faults } = opened
  const events = page.getByRole('list', { name: 'Events, newest first' })
  const first = events.getByRole('listitem').first()
  await first.locator('summary').getByText('Before the page was open').waitFor()
  await first.locator('summary').focus()
  await page.keyboard.press('Enter')
  const changes = first.getByRole('table', { name: 'What changed' })
  await changes.waitFor()
  expect(await changes.getByRole('row').nth(1).locator('th, td').allInnerTexts()).toEqual([
    'Name',
    'Rex',
    'Before the page was open',
  ])
  await first.getByRole('link', { name: 'key 1' }).waitFor()
  await first.locator('pre').getByText(`"id": ${petId}`).waitFor()

  // A new one comes above the open one, which stays open and keeps the focus.
  await service.admin.newCategory('Arrived')
  await events.getByRole('listitem').first().locator('summary').getByText('Arrived').waitFor()
  expect(await changes.isVisible()).toBeFalse()
  const second = events.getByRole('listitem').nth(1)
  expect(await second.getByRole('table', { name: 'What changed' }).isVisible()).toBeTrue()
  await waitForFocus(page, /pet\.updated/)
  await second.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { name: 'Before the page was open' }).waitFor()
  expect(faults()).toEqual([])
})

inBrowser('what arrived stays in its list, however much of other kinds happens after it', async () => {
  await using opened = await openSignedIn(service, { path: '/events?type=category.*' })
  const { page } = opened
  const summaries = page.getByRole('list', { name: 'Events, newest first' }).locator('summary')
  const categoryId = await service.admin.newCategory('Kept')
  await summaries.getByText('Kept').waitFor()
  const pets = Array.from({ length: 100 }, () => ({ name: 'One of many', categoryId }))
  for (let batch = 0; batch < 3; batch++) expect((await service.admin.post('/pets/batch', pets)).status).toBe(201)
  await service.admin.newCategory('Later')
  await summaries.getByText('Later').waitFor()
  await summaries.getByText('Kept').waitFor()
})

inBrowser('events are filtered by type, thing and time, also those that arrive', async () => {
  const [wanted, other] = [await service.admin.newPet(4), await service.admin.newPet(4)]
  const { body: order } = await service.admin.post('/store/orders', { petId: wanted })
  service.clock.advance(3_600_000)
  await service.admin.patch(`/pets/${wanted}`, { name: 'An hour later' })
  await using opened = await openSignedIn(service, { path: '/events' })
  const { page, faults } = opened
  const types = () => page.getByRole('list', { name: 'Events, newest first' }).locator('summary code').allInnerTexts()
  const typesBecome = (expected: string[]) => eventually(async () => String(await types()) === String(expected))
  const summaries = page.getByRole('list', { name: 'Events, newest first' }).locator('summary')
  await page.getByLabel('About').selectOption('pet')
  await page.getByLabel('Number of the pet').fill(String(wanted))
  await page.keyboard.press('Enter')
  await page.getByText(`Order ${order.id}`).waitFor()
  expect(page.url()).toEndWith(`/console/events?about=pet+${wanted}`)
  const about = [
    'pet.updated',
    'inventory.changed',
    'order.placed',
    'inventory.changed',
    'inventory.changed',
    'pet.created',
  ]
  await typesBecome(about)

  // What arrives is filtered, too: the first is about another pet.
  await service.admin.put(`/store/inventory/${other}`, { quantity: 77 })
  await service.admin.put(`/store/inventory/${wanted}`, { quantity: 88 })
  await summaries.getByText('88 in stock').waitFor()
  expect(await summaries.getByText('77 in stock').count()).toBe(0)

  await page.getByLabel('Type').selectOption('pet.*')
  await summaries.getByText('88 in stock').waitFor({ state: 'detached' })
  await typesBecome(['pet.updated', 'pet.created'])
  const hourAgo = new Date(service.clock.now() - 1_800_000)
  const local = new Date(hourAgo.getTime() - hourAgo.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  await page.getByLabel('To', { exact: true }).fill(local)
  await page.getByLabel('To', { exact: true }).blur()
  await summaries.getByText('An hour later').waitFor({ state: 'detached' })
  await typesBecome(['pet.created'])
  await page.getByLabel('About').selectOption('')
  await page.getByLabel('Type').selectOption('webhook.*')
  await page.getByText('No events that your key can see match').waitFor()
  await page.getByRole('link', { name: 'Show all events' }).click()
  await summaries.getByText('An hour later').first().waitFor()
  expect(faults()).toEqual([])
})

inBrowser('what arrives about a key is what is found about it', async () => {
  const client = await service.newClient()
  const { body: webhook } = await client.post('/webhooks', { url: 'https://shop.example/hooks', events: ['pet.*'] })
  await using opened = await openSignedIn(service, { path: `/events?about=key+${client.keyId}` })
  const { page } = opened
  const summaries = page.getByRole('list', { name: 'Events, newest first' }).locator('summary')
  await summaries.getByText('key.created').waitFor()
  await service.admin.patch(`/webhooks/${webhook.id}`, { active: false })
  await service.admin.patch(`/keys/${client.keyId}`, { name: 'Renamed key' })
  await summaries.getByText('key.updated').waitFor()
  expect(await summaries.getByText('webhook.disabled').count()).toBe(0)
})

inBrowser('events of orders and stock say the name of their pet, for one request', async () => {
  const categoryId = await service.admin.newCategory('Owls')
  const { body: pet } = await service.admin.post('/pets', { name: 'Hedwig', categoryId })
  const { body: gone } = await service.admin.post('/pets', { name: 'Errol', categoryId })
  await service.admin.put(`/store/inventory/${gone.id}`, { quantity: 6 })
  await service.admin.delete(`/pets/${gone.id}`)
  for (let quantity = 40; quantity < 60; quantity++) await service.admin.put(`/store/inventory/${pet.id}`, { quantity })
  const { body: order } = await service.admin.post('/store/orders', { petId: pet.id })
  await using opened = await openSignedIn(service, { path: '/events?type=inventory.*' })
  const { page, faults } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const list = page.getByRole('list', { name: 'Events, newest first' })
  await list.getByText('Hedwig: 58 in stock').first().waitFor()
  // Named if its deletion is among the latest events, otherwise shown by number.
  await list.getByText(/(Errol|Pet \d+): 6 in stock/).waitFor()
  // The new name is in the event of the renaming.
  await service.admin.patch(`/pets/${pet.id}`, { name: 'Snowy' })
  await list.getByText('Snowy: 58 in stock').first().waitFor()
  await page.getByLabel('Type').selectOption('order.*')
  await list.getByText(`Order ${order.id}: 1 of Snowy`).waitFor()
  expect(asked.filter((url) => url.includes('/pets?')).length).toBeLessThanOrEqual(1)
  expect(faults()).toEqual([])
})

inBrowser('what happened on other screens is in its place when the events are opened', async () => {
  await using opened = await openSignedIn(service, { path: '/categories?sort=-id' })
  const { page } = opened
  const names = Array.from({ length: 60 }, (_, index) => `Numbered ${index}.`)
  await row(page, 'Dogs').first().waitFor()
  for (const name of names) await service.admin.newCategory(name)
  await row(page, 'Numbered 59.').waitFor()
  await page.getByRole('link', { name: 'Events' }).click()
  const events = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem')
  await events.first().waitFor()
  const shown = (await events.locator('summary').allInnerTexts()).map((text) => /Numbered \d+\./.exec(text)?.[0])
  expect(shown.slice(0, 50)).toEqual(names.toReversed().slice(0, 50))
})

inBrowser('an event behind hundreds of others of its kind is found page by page', async () => {
  const petId = await service.admin.newPet(1)
  const { categoryId } = (await service.admin.get(`/pets/${petId}/profile`)).body
  const pets = Array.from({ length: 100 }, () => ({ name: 'In between', categoryId }))
  // Each pet is two events, and 500 are searched for a page.
  for (let batch = 0; batch < 3; batch++) await service.admin.post('/pets/batch', pets)
  await using opened = await openSignedIn(service, { path: `/events?about=pet+${petId}` })
  const { page } = opened
  await page.getByText('There are older ones on the next page').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('list', { name: 'Events, newest first' }).locator('summary').getByText('pet.created').waitFor()
})
