import { afterAll, expect } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { testClock } from '../../server/test/harness/service.ts'
import { startReceiver, verify } from '../../server/test/webhooks/receiver.ts'
import { startShop } from '../../server/test/webhooks/shop.ts'
import { inBrowser, openSignedIn, row, stopClock } from './harness.ts'

const service = await startShop({ clock: testClock(Date.now()) })
afterAll(() => service.stop())

inBrowser(
  'a webhook is created and pinged; a failed delivery is shown and sent again; the secret is rotated',
  async () => {
    await using receiver = await startReceiver(500)
    const petId = await service.admin.newPet(5)
    await using opened = await openSignedIn(service, { path: '/webhooks' })
    const { page, faults } = opened
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
    await dialog.getByLabel('Url').fill(`${receiver.url}/in`)
    await dialog.getByRole('checkbox', { name: 'order.*' }).check()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const created = page.getByRole('dialog', { name: 'The webhook’s secret' })
    const secret = await created.getByLabel('The secret').inputValue()
    await created.getByRole('button', { name: 'I’ve saved it' }).click()
    await row(page, receiver.url).getByText('active').waitFor()
    await row(page, receiver.url).getByRole('link', { name: receiver.url }).click()

    await service.admin.post('/store/orders', { petId })
    const deliveries = page.getByRole('list', { name: 'Deliveries' })
    const failed = deliveries.getByRole('listitem').filter({ hasText: 'order.placed' })
    await failed.getByText('pending').waitFor()
    await failed.getByText('500').first().waitFor()
    receiver.answer = 204
    await failed.getByRole('button', { name: /Send again: delivery \d+/ }).click()
    await deliveries.getByText('delivered').first().waitFor()
    const received = await eventually(() => receiver.received[1])
    expect(verify(secret, received)).toMatchObject({ type: 'order.placed' })

    await page.getByRole('button', { name: 'Ping' }).click()
    await deliveries.getByText('webhook.ping').waitFor()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const rotated = page.getByRole('dialog', { name: 'The webhook’s new secret' })
    expect(await rotated.getByLabel('The secret').inputValue()).not.toBe(secret)
    await rotated.getByRole('button', { name: 'I’ve saved it' }).click()

    await stopClock(page)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.clock.runFor(7_000)
    await page.clock.resume()
    await page.getByText('No webhooks yet').waitFor()
    expect(faults()).toEqual([])
  },
)

inBrowser(
  'a key manager can switch off the webhook of another key, but do nothing that only its owner can',
  async () => {
    const owner = await service.newClient({ name: 'Warehouse', scopes: ['webhooks:manage'] })
    const { body } = await owner.post('/webhooks', { url: 'https://warehouse.example/in', events: ['*'] })
    await using opened = await openSignedIn(service, { path: '/webhooks' })
    const { page, faults } = opened
    await row(page, body.url).getByText(`Key ${owner.keyId}`).waitFor()
    await row(page, body.url).getByRole('link', { name: body.url }).click()
    await page.getByRole('link', { name: 'Warehouse' }).waitFor()
    expect(await page.getByRole('button', { name: /Ping|Rotate|Delete|Edit/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('off', { exact: true }).waitFor()
    expect((await owner.get(`/webhooks/${body.id}`)).body.active).toBeFalse()
    expect(faults()).toEqual([])
  },
)

inBrowser('events appear as they happen, with their JSON, and can be filtered', async () => {
  await using opened = await openSignedIn(service, { path: '/events' })
  const { page, faults } = opened
  await page.getByText('Listening').waitFor()
  // The stream may open a moment after the page.
  const live = page.getByRole('list', { name: 'Events, newest first' })
  let count = 0
  await eventually(async () => {
    await service.admin.newCategory(`Live ${++count}`)
    return (await live.count()) > 0
  })
  const first = live.getByRole('listitem').first()
  await first.locator('summary').getByText('category.created').waitFor()
  await first.locator('summary').click()
  await first.locator('pre').getByText('"type": "category.created"').waitFor()
  await page.getByLabel('Type').selectOption('order.*')
  await page.getByText('Listening').waitFor()
  expect(page.url()).toEndWith('/console/events?type=order.*')

  await page.getByLabel('Which events').selectOption('oldest')
  const stored = page.getByRole('list', { name: 'Events, oldest first' })
  await page.getByLabel('Type').selectOption('category.*')
  await stored.getByText('Live 1', { exact: true }).first().waitFor()
  // The overview shows the latest events, too.
  await page.getByRole('link', { name: 'Overview' }).click()
  await page
    .getByRole('list', { name: 'Latest events' })
    .locator('summary')
    .getByText('category.created')
    .first()
    .waitFor()
  expect(faults()).toEqual([])
})
