import { afterAll, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import type { RecordedDelivery } from '../../src/sandbox/recorded.ts'
import { eventually } from '../harness/eventually.ts'
import { startTestHost, type TestSandbox } from '../harness/sandbox.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const deliveriesOf = async ({ send }: TestSandbox): Promise<number[]> =>
  (await send('GET', '/_sandbox/deliveries')).body.data.map(({ id }: RecordedDelivery) => id)

test('deliveries are newest first, also while the clock stands still', async () => {
  const sandbox = await host.create({ data: 'empty', clock: { frozen: true } })
  await using receiver = await startReceiver()
  const { body: webhook } = await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['*'] })
  for (const count of [1, 2, 3]) {
    await sandbox.send('POST', '/categories', { name: `Owls ${count}` })
    await eventually(async () => (await deliveriesOf(sandbox)).length === count)
  }
  for (const _ of [1, 2]) await sandbox.send('POST', '/_sandbox/forge', { webhookId: webhook.id })
  expect(await deliveriesOf(sandbox)).toEqual([-2, -1, 3, 2, 1])
})

test('forged deliveries that are sent at the same time have different ids', async () => {
  const sandbox = await host.create({ data: 'empty' })
  const waiting: ServerResponse[] = []
  await using receiver = await startReceiver()
  // Responds only when all have arrived, to the last one first.
  receiver.response = (_, response) => {
    if (waiting.unshift(response) === 3) for (const each of waiting) each.writeHead(401).end()
  }
  const { body: webhook } = await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['*'] })
  const forge = () => sandbox.send('POST', '/_sandbox/forge', { webhookId: webhook.id })
  const forged = await Promise.all([forge(), forge(), forge()])
  expect(forged.map(({ body }) => body.id).sort()).toEqual([-1, -2, -3])
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  expect(await deliveriesOf(sandbox)).toEqual([-3, -2, -1])
})
