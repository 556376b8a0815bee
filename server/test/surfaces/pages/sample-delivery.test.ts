import { afterAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { petShop } from '../../../src/shop/index.ts'
import { sampleDelivery } from '../../../src/surfaces/pages/guide-values.ts'
import { eventually } from '../../harness/eventually.ts'
import { startReceiver } from '../../platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../../platform/webhooks/shop.ts'
import { isGenuine } from '../../sandbox/documented-client.ts'

const service = await startShop()
afterAll(() => service.stop())

const { sampleDeliverySecret, sampleDeliverySigned, sampleDeliverySignature, sampleDeliveryRequest } =
  sampleDelivery(petShop)

function parseShown() {
  const [head = '', body = ''] = sampleDeliveryRequest.split('\n\n')
  const [, ...lines] = head.split('\n')
  return { headers: new Headers(lines.map((line) => line.split(': ') as [string, string])), body }
}

test('the delivery that the guide shows is what a receiver gets, and its signature is valid', async () => {
  const shown = parseShown()
  const timestamp = Number(shown.headers.get('webhook-timestamp'))
  expect(isGenuine(shown.headers, shown.body, sampleDeliverySecret, timestamp * 1000)).toBe(true)
  expect(isGenuine(shown.headers, `${shown.body} `, sampleDeliverySecret, timestamp * 1000)).toBe(false)
  // The same by hand, from the table.
  const key = Buffer.from(sampleDeliverySecret.slice('whsec_'.length), 'base64')
  const byHand = createHmac('sha256', key).update(sampleDeliverySigned).digest('base64')
  expect(sampleDeliverySignature).toBe(`v1,${byHand}`)
  expect(sampleDeliverySigned).toBe(`${shown.headers.get('webhook-id')}.${timestamp}.${shown.body}`)
  expect(Number(shown.headers.get('content-length'))).toBe(Buffer.byteLength(shown.body))

  await using receiver = await startReceiver()
  // A key without `keys:manage`, which would also see who made the change.
  const client = await service.newClient({ preset: 'staff' })
  await newWebhook(client, `${receiver.url}/hooks`, { events: ['order.placed'] })
  const petId = await client.newPet()
  await client.post('/store/orders', { petId, shipDate: '2026-12-01T00:00:00.000Z' })
  const real = await eventually(() => receiver.received[0])
  // Which connection it came over is the HTTP client's choice.
  const names = Object.keys(real.headers).filter((name) => name !== 'connection')
  expect(names.toSorted()).toEqual([...shown.headers.keys()].toSorted())
  const event = JSON.parse(shown.body)
  expect(Object.keys(real.event)).toEqual(Object.keys(event))
  expect(Object.keys(real.event.data)).toEqual(Object.keys(event.data))
})
