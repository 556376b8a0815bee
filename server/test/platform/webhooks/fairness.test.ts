import { afterAll, expect, test } from 'bun:test'
import { createSlots } from '../../../src/platform/webhooks/slots.ts'
import { eventually } from '../../harness/eventually.ts'
import { startReceiver } from './receiver.ts'
import { newWebhook, startShop } from './shop.ts'

// How a node's concurrent attempts are shared. Receivers delay their responses until the test releases them.

const attemptsMax = 16
/** More than a slow webhook may have under way. */
const events = 10
const service = await startShop({ env: { WEBHOOK_ATTEMPTS: String(attemptsMax) } })
afterAll(() => service.stop())

async function startHoldingReceiver() {
  const releases: (() => void)[] = []
  const receiver = await startReceiver((_, response) => void releases.push(() => response.writeHead(204).end()))
  return {
    url: receiver.url,
    received: receiver.received,
    respondToAll() {
      receiver.response = 204
      for (const response of releases) response()
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

test('twenty slow webhooks of one key leave half of the attempts to other keys', async () => {
  await using slow = await startHoldingReceiver()
  await using fast = await startReceiver()
  const [hoarder, neighbour] = [await service.newClient(), await service.newClient()]
  const wanted = { events: ['category.created'] }
  for (let count = 0; count < 20; count++) await newWebhook(hoarder, `${slow.url}/${count}`, wanted)
  await service.admin.newCategory()
  await eventually(() => slow.received.length === attemptsMax / 2)
  await newWebhook(neighbour, fast.url, wanted)
  for (let count = 0; count < events; count++) await service.admin.newCategory()
  // All of them arrive before any of the others gets a response.
  await eventually(() => fast.received.length === events)
  expect(slow.received).toHaveLength(attemptsMax / 2)
  // Each of them is for another webhook: the webhooks of a key share its attempts.
  expect(new Set(slow.received.map(({ path }) => path)).size).toBe(attemptsMax / 2)
  slow.respondToAll()
  // On a busy machine an attempt may have timed out: it is retried later.
  const arrived = () => new Set(slow.received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`))
  await eventually(() => {
    service.clock.advance(1_000)
    return arrived().size === 20 * (1 + events)
  })
})

test('two slow keys leave attempts to a third, and one webhook leaves some to its siblings', async () => {
  await using slow = await startHoldingReceiver()
  await using fast = await startReceiver()
  const clients = await Promise.all([1, 2, 3].map(() => service.newClient()))
  const wanted = { events: ['category.updated'] }
  const [one, two, three] = clients as [(typeof clients)[0], (typeof clients)[0], (typeof clients)[0]]
  await newWebhook(one, `${slow.url}/one`, wanted)
  await newWebhook(two, `${slow.url}/two`, wanted)
  await newWebhook(one, `${fast.url}/sibling`, wanted)
  await newWebhook(three, `${fast.url}/other`, wanted)
  const id = await service.admin.newCategory()
  for (let count = 0; count < events; count++) await service.admin.patch(`/categories/${id}`, { name: `Name ${count}` })
  await eventually(() => fast.received.length === 2 * events)
  expect(slow.received.length).toBeLessThan(attemptsMax)
  slow.respondToAll()
  await eventually(() => slow.received.length >= 2 * events)
})

const receiver = (id: number, key_id: number, failing_since: number | null = null) => ({ id, key_id, failing_since })

test('a key has at most as many slots as it leaves free, and its webhooks share them', () => {
  const slots = createSlots(64)
  const allotted = slots.allot(
    [...Array(20).keys()].map((id) => receiver(id, 1)),
    0,
  )
  const total = [...allotted.values()].reduce((sum, each) => sum + each, 0)
  expect([total, Math.min(...allotted.values()), Math.max(...allotted.values())]).toEqual([32, 1, 2])
  let delivery = 0
  for (const [id, count] of allotted) for (let n = 0; n < count; n++) slots.begin(delivery++, receiver(id, 1))
  expect(slots.allot([receiver(0, 1)], 0)).toEqual(new Map())
  expect(slots.allot([receiver(100, 2)], 0)).toEqual(new Map([[100, 11]]))
})

test('a slower webhook gets fewer slots, and a failing one gets one', () => {
  let nowMs = 0
  const most = (tookMs: number) => {
    const slots = createSlots(1_000, () => nowMs)
    slots.begin(1, receiver(1, 1))
    nowMs += tookMs
    const during = slots.allot([receiver(1, 1)], 0).get(1) ?? 0
    slots.end(1)
    return [during, slots.allot([receiver(1, 1)], 0).get(1)]
  }
  expect([0, 1_000, 2_000, 4_000, 14_000].map(most)).toEqual([
    [15, 16],
    [15, 16],
    [7, 8],
    [3, 4],
    [0, 1],
  ])
  const slots = createSlots(64)
  expect(slots.allot([receiver(1, 1, 0)], 59_999).get(1)).toBe(16)
  expect(slots.allot([receiver(1, 1, 0)], 60_000).get(1)).toBe(1)
})

test('one slow attempt costs a quick webhook some of its slots, and quick ones win them back', () => {
  let nowMs = 0
  const slots = createSlots(1_000, () => nowMs)
  const mostAfter = (tookMs: number) => {
    slots.begin(1, receiver(1, 1))
    nowMs += tookMs
    slots.end(1)
    return slots.allot([receiver(1, 1)], 0).get(1)
  }
  expect([1_000, 5_000, 5_000, 1_000].map(mostAfter)).toEqual([16, 7, 5, 6])
})

test('if slots are few, the key that has waited longest goes first', () => {
  const slots = createSlots(1)
  const due = [receiver(1, 1), receiver(2, 2)]
  const order: number[] = []
  for (let delivery = 0; delivery < 4; delivery++) {
    const [id] = [...slots.allot(due, 0).keys()] as [number]
    order.push(id)
    slots.begin(delivery, receiver(id, id))
    slots.end(delivery)
  }
  expect(order).toEqual([1, 2, 1, 2])
})
