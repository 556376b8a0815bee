import { afterAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually } from '../../harness/eventually.ts'
import { patiently } from '../../harness/patiently.ts'
import { type ApiResponse, startService } from '../../harness/service.ts'
import { expectBalance } from '../pets/movements.ts'

// Retries with an Idempotency-Key: whatever happens to the connection, one order is placed.

const service = await startService()
const staff = await service.newClient({ preset: 'staff' })
afterAll(() => service.stop())

const ordersOf = async (petId: number) => (await staff.get(`/store/orders?petId=${petId}&limit=100`)).body

test('200 concurrent requests with the same Idempotency-Key place one order', async () => {
  const petId = await staff.newPet(100)
  const send = () =>
    patiently(() => staff.post('/store/orders', { petId, quantity: 2 }, { 'Idempotency-Key': 'two hundred' }))
  const responses = await Promise.all(Array.from({ length: 200 }, send))
  const [order, ...others] = await ordersOf(petId)
  expect(others).toEqual([])
  let firsts = 0
  for (const { status, body, headers } of responses) {
    if (status === 201) {
      expect(body).toEqual(order)
      if (headers.get('idempotent-replayed') === null) firsts++
    } else expect(body.code).toBe('idempotency_in_progress')
  }
  expect(firsts).toBe(1)
  expect((await send()).headers.get('idempotent-replayed')).toBe('true')
  await expectBalance(service, petId)
})

test('clients do not share idempotency keys', async () => {
  const petId = await staff.newPet(10)
  const clients = [await service.newClient(), await service.newClient()]
  const key = { 'Idempotency-Key': 'shared-name' }
  const responses = await Promise.all(
    clients.map((client) => patiently(() => client.post('/store/orders', { petId }, key))),
  )
  expect(responses.map(({ status }) => status)).toEqual([201, 201])
  expect(responses[0]?.body.id).not.toBe(responses[1]?.body.id)
})

test('a rejection is replayed too, even when the order would now be possible', async () => {
  const petId = await staff.newPet(1)
  const send = (quantity: number) =>
    patiently(() => staff.post('/store/orders', { petId, quantity }, { 'Idempotency-Key': 'rejected' }))
  const first = await send(5)
  expect(first.body.code).toBe('insufficient_stock')
  await staff.put(`/store/inventory/${petId}`, { quantity: 10 })
  const again = await send(5)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect({ ...again.body, requestId: '' }).toEqual({ ...first.body, requestId: '' })
  expect((await send(4)).body.code).toBe('idempotency_key_reused')
  expect(await ordersOf(petId)).toEqual([])
})

/** Sends the request and cuts the connection, when it is sent or when the response starts. Returns what was received by then. */
async function sendAndCut(petId: number, key: string, when: 'sent' | 'responded'): Promise<string> {
  const body = JSON.stringify({ petId })
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const head = [
    'POST /store/orders HTTP/1.1',
    'Host: petstore.test',
    `X-API-Key: ${staff.secret}`,
    `Idempotency-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const sent = new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, resolve))
  await (when === 'responded' ? once(socket, 'readable') : sent)
  const received = String(socket.read() ?? '')
  socket.destroy()
  return received
}

/** Sends the request again while the first is in progress, or the service is busy. */
const untilResponse = (send: () => Promise<ApiResponse>): Promise<ApiResponse> =>
  eventually(async () => {
    const response = await patiently(send)
    return response.body.code !== 'idempotency_in_progress' && response
  })

for (const when of ['sent', 'responded'] as const) {
  test(`the connection cut when the request is ${when}, and the request sent again: one order`, async () => {
    const petId = await staff.newPet(100)
    let placedAtFirst = 0
    for (let round = 0; round < 25; round++) {
      const key = `${when}-${round}`
      const received = await sendAndCut(petId, key, when)
      const again = await untilResponse(() => staff.post('/store/orders', { petId }, { 'Idempotency-Key': key }))
      expect(again.status).toBe(201)
      if (received.startsWith('HTTP/1.1 201')) {
        placedAtFirst++
        expect(again.headers.get('idempotent-replayed')).toBe('true')
      }
    }
    if (when === 'responded') expect(placedAtFirst).toBeGreaterThan(0)
    expect(await ordersOf(petId)).toHaveLength(25)
    expect((await staff.get(`/store/inventory/${petId}`)).body.quantity).toBe(75)
    await expectBalance(service, petId)
  })
}
