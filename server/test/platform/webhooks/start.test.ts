import { afterAll, describe, expect, test } from 'bun:test'
import { hadCommitted } from '../../../src/platform/events/numbering.ts'
import { recordEvent } from '../../../src/platform/events/record.ts'
import { openTransaction } from '../../harness/open-transaction.ts'
import { type Received, startReceiver } from './receiver.ts'
import { deliveriesOnce, newWebhook, startShop } from './shop.ts'

// Which events are the first of a webhook. On PostgreSQL readers see no event while any older transaction of the server is open.

const onPostgres = process.env.TEST_ENGINE === 'postgres'
let ownUrl = ''
const service = await startShop({
  by: async (url) => {
    ownUrl = url
    return url
  },
})
const client = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

const events = { events: ['category.created'] }
const namesAt = (received: readonly Received[], path: string) =>
  received.filter((each) => each.path === path).map(({ event }) => event.data.name)

describe.if(onPostgres).each([
  ['in its database', () => ownUrl],
  ['in another database of the server', () => process.env.TEST_DATABASE_URL ?? ''],
])('while a transaction is open %s', (_, urlOf) => {
  test('a new or activated webhook gets no event from before, and every event since', async () => {
    await using receiver = await startReceiver()
    const activated = await newWebhook(client, `${receiver.url}/activated`, { ...events, active: false })
    const made = await (async () => {
      await using _open = await openTransaction(urlOf())
      await client.newCategory('Before')
      const created = await newWebhook(client, `${receiver.url}/created`, events)
      await client.patch(activated.path, { active: true })
      await client.newCategory('After')
      return created
    })()
    await client.newCategory('Later')
    for (const webhook of [made, activated])
      await deliveriesOnce(client, webhook, (all) => all.filter(({ state }) => state === 'delivered').length >= 2)
    expect(namesAt(receiver.received, '/created').sort()).toEqual(['After', 'Later'])
    expect(namesAt(receiver.received, '/activated').sort()).toEqual(['After', 'Later'])
    for (const webhook of [made, activated]) await client.delete(webhook.path)
  })
})

test.if(onPostgres)('an event whose transaction began before the webhook and ended after it is sent', async () => {
  await using receiver = await startReceiver()
  const data = { id: 1, name: 'Overlapping' }
  const webhook = await service.context.db.transaction(async (tx) => {
    recordEvent(tx, { now: service.clock.now() }, { type: 'category.created', data })
    await tx.query('SELECT 1')
    return newWebhook(client, `${receiver.url}/overlapping`, events)
  })
  await deliveriesOnce(client, webhook, ([first]) => first?.state === 'delivered')
  expect(namesAt(receiver.received, '/overlapping')).toEqual(['Overlapping'])
})

test('a committed transaction is one that had begun and was not under way', () => {
  const committed = '1000:10:20:10,14'
  const numbers = [9, 10, 11, 14, 19, 20, 5_000]
  expect(numbers.filter((number) => hadCommitted(committed, { tx: 1000 + number }))).toEqual([9, 11, 19])
  expect(hadCommitted('1000:10:10:', { tx: 1009 })).toBeTrue()
  expect(hadCommitted('1000:10:10:', { tx: 1010 })).toBeFalse()
  expect(hadCommitted(null, { tx: 1 })).toBeFalse()
})
