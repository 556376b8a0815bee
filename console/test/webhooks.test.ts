import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../server/test/harness/eventually.ts'
import { testClock } from '../../server/test/harness/service.ts'
import { startReceiver, verify } from '../../server/test/platform/webhooks/receiver.ts'
import { deliveriesOnce, newWebhook, startShop } from '../../server/test/platform/webhooks/shop.ts'
import { inBrowser, openSignedIn, row, stopClock, waitUntil } from './harness.ts'

const service = await startShop({ clock: testClock(Date.now()) })
afterAll(() => service.stop())

const deliveriesOn = (page: Page) => page.getByRole('list', { name: 'Deliveries' })
const deliveryOn = (page: Page, type: string) => deliveriesOn(page).locator('li.delivery').filter({ hasText: type })

inBrowser(
  'a webhook is created and pinged; a failed delivery shows what was sent and is sent again; the secret is rotated',
  async () => {
    await using receiver = await startReceiver(500)
    const petId = await service.admin.newPet(5)
    await using opened = await openSignedIn(service, { path: '/webhooks' })
    const { page, faults } = opened
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
    await dialog.getByLabel('Url').fill(`${receiver.url}/in`)
    await dialog.getByRole('checkbox', { name: 'Orders' }).check()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const created = page.getByRole('dialog', { name: 'The webhook’s secret' })
    const secret = await created.getByLabel('The secret').inputValue()
    await page.context().grantPermissions(['clipboard-write'])
    await created.getByRole('button', { name: 'Copy' }).click()
    await created.getByRole('button', { name: 'Copied' }).waitFor()
    await created.getByRole('button', { name: 'I’ve saved it' }).click()
    await row(page, receiver.url).getByText('order.*').waitFor()
    await row(page, receiver.url).getByText('active').waitFor()
    await row(page, receiver.url).getByRole('link', { name: receiver.url }).click()

    // The figures of the day are loaded again when deliveries change, so these must be there first.
    await page.getByText('No deliveries yet.').waitFor()
    const { body: order } = await service.admin.post('/store/orders', { petId })
    const failed = deliveryOn(page, 'order.placed')
    await failed.getByText('pending').waitFor()
    await failed.getByText(`Order ${order.id}: 1 of Rex`).waitFor()
    // By keyboard to what was sent.
    await failed.locator('summary').getByText('500').waitFor()
    await failed.locator('summary').focus()
    await page.keyboard.press('Enter')
    await failed.getByText(`"petId": ${petId}`).waitFor()
    const attempt = failed
      .getByRole('list', { name: /Attempts of delivery/ })
      .getByRole('listitem')
      .first()
    await attempt.getByText(`webhook-id: ${receiver.received[0]?.event.id}`).waitFor()
    expect(await attempt.getByText(/webhook-timestamp: \d+/).count()).toBe(1)
    expect(await attempt.locator('time').innerText()).toMatch(/:\d\d:\d\d/)
    await page.getByText('0 %, 0 of 1 attempts').waitFor()

    receiver.response = 204
    await failed.getByRole('button', { name: /Send again: delivery \d+/ }).click()
    await failed.getByText('delivered').waitFor()
    const received = await eventually(() => receiver.received[1])
    expect(verify(secret, received)).toMatchObject({ type: 'order.placed', data: { id: order.id } })
    // What is open stays open, with the new attempt.
    await failed
      .getByRole('list', { name: /Attempts of delivery/ })
      .getByText('204', { exact: true })
      .waitFor()
    await page.getByText('50 %, 1 of 2 attempts').waitFor()

    await page.getByRole('button', { name: 'Ping' }).click()
    await deliveriesOn(page).getByText('webhook.ping').waitFor()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    // As if the webhook had been deleted a moment before.
    await page.route('**/rotate', (route) => route.continue({ url: `${service.url}/webhooks/987654/rotate` }))
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByText('not found').first().waitFor()
    await page.unroute('**/rotate')
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

inBrowser('the form of a webhook names all that is missing or wrong at once, each at its field', async () => {
  await using opened = await openSignedIn(service, { path: '/webhooks?do=new' })
  const { page, faults } = opened
  const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
  const fieldOf = (name: string) => dialog.locator('.field').filter({ hasText: name })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await fieldOf('URL').getByText('Enter a URL, such as https://shop.example/hooks.').waitFor()
  await fieldOf('Events').getByText('Choose at least one kind of event.').waitFor()
  await waitUntil(page, "document.activeElement.labels?.[0]?.textContent === 'URL'")
  await page.keyboard.type('shop.example')
  await page.keyboard.press('Enter')
  await fieldOf('URL')
    .getByText(/Must be an https/)
    .waitFor()
  await fieldOf('Events').getByText('Choose at least one kind of event.').waitFor()
  expect(await dialog.getByLabel('URL').inputValue()).toBe('shop.example')
  expect(faults()).toEqual([])
})

inBrowser('the events of a webhook are chosen by thing: all, all of one thing, or single ones', async () => {
  const { path, id } = await newWebhook(service.admin, 'https://shop.example/in', {
    events: ['order.*', 'pet.created', 'inventory.depleted'],
  })
  const eventsNow = async () => (await service.admin.get(path)).body.events
  await using opened = await openSignedIn(service, { path: `/webhooks/${id}` })
  const { page, faults } = opened
  const edit = async (change: () => Promise<void>) => {
    await page.getByRole('button', { name: 'Edit' }).click()
    await change()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit' }).waitFor()
  }
  const kind = (name: string) => page.locator('.kind').filter({ hasText: name }).locator('summary')
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
  await edit(async () => {
    expect(await box('Orders').isChecked()).toBeTrue()
    await page.locator('label:has(input:indeterminate)').getByText('Pets').waitFor()
    // All but one of the orders' events, and another one of pets', by keyboard.
    await kind('Orders').focus()
    await page.keyboard.press('Enter')
    await box('order.updated').focus()
    await page.keyboard.press('Space')
    await box('pet.deleted').check()
    expect(await box('Orders').isChecked()).toBeFalse()
  })
  const single = [
    'pet.created',
    'pet.deleted',
    'order.placed',
    'order.completed',
    'order.cancelled',
    'inventory.depleted',
  ]
  expect((await eventsNow()).toSorted()).toEqual(single.toSorted())
  await edit(async () => {
    await box('Pets').check()
    await box('Orders').check()
    await kind('Stock').getByText('1 of 3').waitFor()
    await box('inventory.depleted').uncheck()
  })
  expect((await eventsNow()).toSorted()).toEqual(['order.*', 'pet.*'])
  await edit(() => page.getByRole('checkbox', { name: /^All events/ }).check())
  expect(await eventsNow()).toEqual(['*'])
  await service.admin.delete(path)
  expect(faults()).toEqual([])
})

inBrowser('all that failed, or the events of a time, are sent again', async () => {
  await using receiver = await startReceiver(204)
  const webhook = await newWebhook(service.admin, `${receiver.url}/in`, { events: ['category.*'] })
  for (const name of ['One', 'Two', 'Three']) await service.admin.newCategory(name)
  await deliveriesOnce(
    service.admin,
    webhook,
    (all) => all.length === 3 && all.every(({ state }) => state === 'delivered'),
  )
  await using opened = await openSignedIn(service, { path: `/webhooks/${webhook.id}` })
  const { page, faults } = opened
  await page.getByRole('button', { name: 'Send all failed again' }).click()
  await page.getByText('No delivery has failed for good').waitFor()
  // Deliveries fail for good after days, so their state is set in the database.
  await service.context.db.transaction((tx) =>
    tx.query(
      "UPDATE webhook_deliveries SET state = 'failed' WHERE webhook_id = $1 AND event_type = 'category.created'",
      [webhook.id],
    ),
  )
  // More than are sent again at once, of which the rest is said to be left. Their responses are not waited for.
  await service.context.db.transaction((tx) =>
    tx.query(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500)
       INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, payload, state, created_at)
       SELECT CAST($1 AS bigint), 'old_' || n, 'category.deleted', $2, 'failed', created_at
       FROM numbers CROSS JOIN (SELECT min(created_at) AS created_at FROM webhook_deliveries WHERE webhook_id = $1) AS first`,
      [webhook.id, JSON.stringify({ type: 'category.deleted', data: { id: 99, name: 'Old' } })],
    ),
  )
  await page.route(/\/redeliver$/, (route) => route.fulfill({ status: 202, json: {} }))
  await page.getByRole('button', { name: 'Send all failed again' }).click()
  await page.getByText('500 deliveries are sent again; more have failed').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.unrouteAll()
  await service.context.db.transaction((tx) =>
    tx.query("DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND event_type = 'category.deleted'", [webhook.id]),
  )
  const before = receiver.received.length
  await page.getByRole('button', { name: 'Send all failed again' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('3 deliveries are sent again').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await eventually(() => receiver.received.length === before + 3)
  expect(new Set(receiver.received.map(({ event }) => event.data.name))).toEqual(new Set(['One', 'Two', 'Three']))

  await page.getByRole('button', { name: 'Send a time range again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send the events of a time range again' })
  await dialog.getByRole('button', { name: 'Send again' }).click()
  // Including the categories that other tests created before the webhook.
  const sent = Number.parseInt(await page.getByText(/^\d+ events are sent again/).innerText(), 10)
  expect(sent).toBeGreaterThanOrEqual(3)
  await dialog.waitFor({ state: 'detached' })
  await eventually(() => receiver.received.length === before + 3 + sent)
  await service.admin.delete(webhook.path)
  expect(faults()).toEqual([])
})

inBrowser('a time range that was sent in part goes on where it was interrupted', async () => {
  const webhook = await newWebhook(service.admin, 'https://shop.example/in', { events: ['category.*'] })
  await using opened = await openSignedIn(service, { path: `/webhooks/${webhook.id}` })
  const { page } = opened
  const asked: unknown[] = []
  await page.route(/\/replay$/, (route) => {
    asked.push(route.request().postDataJSON().after)
    const full = { code: 'webhook_backlog_full', message: 'Full.', status: 409, requestId: 'x', docs: 'x' }
    if (asked.length === 2) return route.fulfill({ status: 409, json: full })
    return route.fulfill({
      status: 202,
      json: asked.length === 1 ? { scheduled: 1_000, next: 'e7' } : { scheduled: 5 },
    })
  })
  await page.getByRole('button', { name: 'Send a time range again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send the events of a time range again' })
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await dialog.locator('.failure').waitFor()
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('1,005 events are sent again.').waitFor()
  expect(asked).toEqual([undefined, 'e7', 'e7'])

  // Another range begins at its own start.
  asked.length = 0
  await page.getByRole('button', { name: 'Send a time range again' }).click()
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await dialog.locator('.failure').waitFor()
  await dialog.getByLabel('From').fill('2026-01-01T00:00')
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('5 events are sent again.', { exact: true }).waitFor()
  expect(asked).toEqual([undefined, 'e7', undefined])
  await service.admin.delete(webhook.path)
})

inBrowser('the figures of a day count what was sent on it, also of an older delivery', async () => {
  await using receiver = await startReceiver(500)
  const webhook = await newWebhook(service.admin, receiver.url, { events: ['category.created'] })
  await service.admin.newCategory('Tried again')
  await deliveriesOnce(service.admin, webhook, ([one]) => one?.attempts.length === 1)
  await service.context.db.transaction((tx) =>
    tx.query('UPDATE webhook_deliveries SET created_at = created_at - 172800000 WHERE webhook_id = $1', [webhook.id]),
  )
  await using opened = await openSignedIn(service, { path: `/webhooks/${webhook.id}` })
  await opened.page.getByText('0 %, 0 of 1 attempts').waitFor()
  await service.admin.delete(webhook.path)
})

inBrowser(
  'a key manager can switch off the webhook of another key, but do nothing that only its owner can',
  async () => {
    const owner = await service.newClient({ name: 'Warehouse', scopes: ['webhooks:manage'] })
    const { body } = await owner.post('/webhooks', { url: 'https://warehouse.example/in', events: ['*'] })
    await using opened = await openSignedIn(service, { path: '/webhooks' })
    const { page, faults } = opened
    await row(page, body.url).getByRole('link', { name: 'Warehouse', exact: true }).waitFor()
    await row(page, body.url).getByRole('link', { name: body.url }).click()
    await page.getByRole('link', { name: 'Warehouse', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /Ping|Rotate|Delete|Edit/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('off', { exact: true }).waitFor()
    expect((await owner.get(`/webhooks/${body.id}`)).body.active).toBeFalse()
    expect(faults()).toEqual([])
  },
)

inBrowser('deliveries from before the console was opened say which pet and order', async () => {
  await using receiver = await startReceiver(204)
  const { body: luna } = await service.admin.post('/pets', {
    name: 'Luna',
    categoryId: await service.admin.newCategory('Cats'),
  })
  const webhook = await newWebhook(service.admin, receiver.url, { events: ['inventory.*', 'order.*'] })
  await service.admin.put(`/store/inventory/${luna.id}`, { quantity: 7 })
  const { body: order } = await service.admin.post('/store/orders', { petId: luna.id, quantity: 2 })
  await deliveriesOnce(service.admin, webhook, (all) => all.length === 3)
  // More than the console loads of the latest events.
  for (let count = 0; count < 11; count++) await service.admin.newCategory(`Later ${count}`)
  await using opened = await openSignedIn(service, { path: `/webhooks/${webhook.id}` })
  await deliveryOn(opened.page, 'inventory.changed').getByText('Luna: 7 in stock').waitFor()
  await deliveryOn(opened.page, 'order.placed').getByText(`Order ${order.id}: 2 of Luna`).waitFor()
})

inBrowser('events from before the webhook that were sent to it say which pet and order', async () => {
  await using receiver = await startReceiver(204)
  const petId = await service.admin.newPet(3)
  // Later than what other tests did.
  service.clock.advance(1_000)
  const from = new Date(service.clock.now()).toISOString()
  const { body: order } = await service.admin.post('/store/orders', { petId })
  service.clock.advance(7_200_000)
  const webhook = await newWebhook(service.admin, receiver.url, { events: ['order.*'] })
  for (let count = 0; count < 11; count++) await service.admin.newCategory(`Much later ${count}`)
  await service.admin.post(`${webhook.path}/replay`, { from })
  await deliveriesOnce(service.admin, webhook, (all) => all.length === 1)
  await using opened = await openSignedIn(service, { path: `/webhooks/${webhook.id}` })
  await deliveryOn(opened.page, 'order.placed').getByText(`Order ${order.id}: 1 of Rex`).waitFor()
})
