import { afterAll, expect } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { inBrowser, openSignedIn, row } from './harness.ts'

const service = await startService()
const till = await service.newClient({ name: 'The till', preset: 'staff' })
const app = await service.newClient({ name: 'Mobile app' })
afterAll(() => service.stop())

const placeOrder = async (petId: number, more = {}): Promise<number> =>
  (await app.post('/store/orders', { petId, ...more })).body.id

inBrowser('orders say when and with which key they were placed, and a cancelled one who cancelled it', async () => {
  const petId = await service.admin.newPet(9)
  const open = await placeOrder(petId)
  const complete = await placeOrder(petId, { complete: true })
  const cancelled = await placeOrder(petId)
  await till.patch(`/store/orders/${cancelled}`, { quantity: 3 })
  await till.delete(`/store/orders/${cancelled}`)
  await using opened = await openSignedIn(service, { path: '/orders' })
  const { page, faults } = opened
  const ids = () => page.locator('tbody tr').evaluateAll((rows) => rows.map((each) => each.dataset.id))
  const rowOf = (id: number) => page.locator(`tr[data-id="${id}"]`)
  await rowOf(complete).getByRole('link', { name: 'Mobile app' }).waitFor()
  expect(await ids()).toEqual([String(complete), String(open)])
  expect(await page.locator('tbody time').count()).toBe(2)

  const tabs = page.getByRole('navigation', { name: 'Orders by state' })
  await tabs.getByRole('link', { name: 'Open' }).click()
  await rowOf(complete).waitFor({ state: 'detached' })
  await rowOf(open).waitFor()
  expect(await ids()).toEqual([String(open)])
  // By keyboard.
  await tabs.getByRole('link', { name: 'Complete' }).press('Enter')
  await rowOf(complete).waitFor()
  await rowOf(open).waitFor({ state: 'detached' })
  expect(await ids()).toEqual([String(complete)])
  await tabs.getByRole('link', { name: 'Cancelled' }).press('Enter')
  const table = page.getByRole('table', { name: 'Cancelled orders' })
  await table.getByRole('link', { name: 'The till' }).waitFor()
  expect(await ids()).toEqual([String(cancelled)])
  expect(await tabs.locator('[aria-current="page"]').innerText()).toBe('Cancelled')

  await table.getByRole('link', { name: String(cancelled), exact: true }).press('Enter')
  const about = page.getByRole('region', { name: 'About' })
  await about.getByText('This order was cancelled').waitFor()
  await about.getByRole('link', { name: 'Rex' }).waitFor()
  await about.getByRole('link', { name: 'Mobile app' }).waitFor()
  const history = await page.getByRole('list', { name: 'History' }).getByRole('listitem').allInnerTexts()
  expect(history.map((text) => /^(\w+).*by (.+)$/s.exec(text.trim())?.slice(1))).toEqual([
    ['Cancelled', 'The till'],
    ['Updated', 'The till'],
    ['Placed', 'Mobile app'],
  ])
  expect(history[1]).toContain('Quantity 1 → 3')
  expect(faults()).toEqual([])
})

inBrowser('the order of a deleted pet keeps the name of the pet', async () => {
  const { body: category } = await service.admin.post('/categories', { name: 'Ferrets' })
  const { body: pet } = await service.admin.post('/pets', { name: 'Slinky', categoryId: category.id })
  const orderId = await placeOrder(pet.id, { complete: true })
  await service.admin.delete(`/pets/${pet.id}`)
  await using opened = await openSignedIn(service, { path: `/orders?petId=${pet.id}` })
  const { page } = opened
  await row(page, 'Slinky').getByText('deleted').waitFor()
  expect(await page.getByRole('link', { name: 'Slinky' }).count()).toBe(0)
  await page.getByRole('link', { name: String(orderId), exact: true }).press('Enter')
  await page.getByRole('region', { name: 'About' }).getByText('Slinky deleted').waitFor()
})

inBrowser('a client sees its own cancelled orders, and no keys', async () => {
  const petId = await service.admin.newPet(4)
  const other = await service.newClient({ name: 'Other app' })
  const { body: order } = await other.post('/store/orders', { petId })
  await other.delete(`/store/orders/${order.id}`)
  await using opened = await openSignedIn(service, { path: '/orders?state=cancelled', secret: other.secret })
  const { page } = opened
  await page.getByRole('link', { name: String(order.id), exact: true }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(1)
  expect(await page.getByRole('columnheader', { name: 'By' }).count()).toBe(0)
})

inBrowser('a tab of the orders keeps the pet and the days, and the totals say what happened', async () => {
  const [petId, otherId] = [await service.admin.newPet(9), await service.admin.newPet(9)]
  const old = await placeOrder(petId)
  await till.delete(`/store/orders/${old}`)
  service.clock.advance(2 * 86_400_000)
  const cancelled = [await placeOrder(petId), await placeOrder(otherId)]
  for (const id of cancelled) await till.delete(`/store/orders/${id}`)
  const open = await placeOrder(petId)
  await using opened = await openSignedIn(service, { path: `/orders?petId=${petId}` })
  const { page, faults } = opened
  const rowOf = (id = 0) => page.locator(`tr[data-id="${id}"]`)
  const tabs = page.getByRole('navigation', { name: 'Orders by state' })
  await rowOf(open).waitFor()
  const { placedAt } = (await service.admin.get(`/store/orders/${open}`)).body
  const day = (await page.evaluate((at) => new Date(at).toLocaleDateString('sv-SE'), placedAt)) as string
  await page.getByLabel('Placed from').fill(day)
  await page.getByLabel('to', { exact: true }).fill(day)
  await tabs.getByRole('link', { name: 'Cancelled' }).click()
  // Of this pet and day only.
  await rowOf(cancelled[0]).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(1)
  expect(await page.getByLabel('Cancelled from').inputValue()).toBe(day)
  await page.getByLabel('Cancelled from').fill('')
  await page.getByLabel('to', { exact: true }).fill('')
  await rowOf(old).waitFor()
  await rowOf(cancelled[1]).waitFor({ state: 'detached' })
  await page.goBack()
  await page.goBack()
  await tabs.getByRole('link', { name: /^Open/ }).click()
  await rowOf(open).waitFor()
  expect(await page.getByLabel('Placed from').inputValue()).toBe(day)

  const { openOrders, days } = (await service.admin.get('/store/summary?hours=1&days=30')).body
  const sum = (kind: string) => days.reduce((total: number, one: Record<string, number>) => total + (one[kind] ?? 0), 0)
  const said = `In the last 30 days: ${sum('placed')} placed, ${sum('completed')} completed, ${sum('cancelled')} cancelled.`
  await page.getByText(said).waitFor()
  await tabs.getByRole('link', { name: `Open ${openOrders}` }).waitFor()
  expect(faults()).toEqual([])
})

inBrowser('an order that is cancelled while it is edited is still shown', async () => {
  const orderId = await placeOrder(await service.admin.newPet(9), { quantity: 4 })
  await using opened = await openSignedIn(service, { path: `/orders/${orderId}` })
  const { page } = opened
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Quantity').waitFor()
  await till.delete(`/store/orders/${orderId}`)
  await page.getByText('This order was cancelled and its stock returned.').waitFor()
  await page.locator('dd').getByText('4', { exact: true }).waitFor()
})

inBrowser('a key that is renamed has its new name wherever it is shown', async () => {
  const key = await service.newClient({ name: 'Old name', preset: 'staff' })
  const petId = await service.admin.newPet(9)
  await key.post('/store/orders', { petId })
  await using opened = await openSignedIn(service, { path: `/orders?petId=${petId}` })
  const { page } = opened
  await page.getByRole('link', { name: 'Old name' }).waitFor()
  await service.admin.patch(`/keys/${key.keyId}`, { name: 'New name' })
  // A later event of the same stream.
  await service.admin.newCategory('After the change')
  await page.getByRole('link', { name: 'Categories' }).click()
  await row(page, 'After the change').waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'New name' }).waitFor()
})
