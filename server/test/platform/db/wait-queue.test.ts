import { afterEach, expect, test } from 'bun:test'
import { createWaitQueue, type WaitQueue, waitMsMax } from '../../../src/platform/db/wait-queue.ts'

const queues: WaitQueue<number>[] = []
afterEach(() => {
  for (const queue of queues.splice(0)) queue.clear()
})

/** A queue with a clock that the test moves. */
function createTestQueue() {
  let now = 1_000_000
  const late: number[] = []
  const queue = createWaitQueue<number>(
    { assumedMs: 1, patienceMs: waitMsMax },
    (item) => late.push(item),
    () => now,
  )
  queues.push(queue)
  return {
    queue,
    late,
    pass: (ms: number) => {
      now += ms
    },
  }
}

/** Adds numbers until one is rejected, and returns how many were accepted. */
function fill(queue: { enqueue(item: number): boolean }, from = 0): number {
  let item = from
  while (queue.enqueue(item)) item++
  return item - from
}

/** Adds an item for each that is taken, so that one always waits. */
function serve(count: number, eachMs: number, queue: WaitQueue<number>, pass: (ms: number) => void): void {
  queue.enqueue(-1)
  for (let index = 0; index < count; index++) {
    queue.enqueue(-2 - index)
    pass(eachMs)
    queue.take()
  }
}

test('items are taken in the order in which they were added', () => {
  const { queue } = createTestQueue()
  for (const item of [1, 2, 3]) expect(queue.enqueue(item)).toBe(true)
  expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual([1, 2, 3, undefined])
})

test('before the first measurement there is room for two thousand items', () => {
  const { queue } = createTestQueue()
  expect(fill(queue)).toBe(2_000)
  expect(queue.hasRoom()).toBe(false)
})

test('there is room for as many items as are taken within two seconds', () => {
  for (const eachMs of [0.5, 4, 20, 100]) {
    const { queue, pass, late } = createTestQueue()
    serve(2_000, eachMs, queue, pass)
    const room = fill(queue)
    expect(room * eachMs).toBeGreaterThan(waitMsMax * 0.9)
    expect(room * eachMs).toBeLessThan(waitMsMax * 1.1)
    expect(late).toEqual([])
  }
})

test('an item that has waited too long times out and is never taken', () => {
  const { queue, pass, late } = createTestQueue()
  queue.enqueue(1)
  pass(waitMsMax / 2)
  queue.enqueue(2)
  pass(waitMsMax / 2)
  expect(queue.take()).toBe(2)
  expect(late).toEqual([1])
})

test('one long pause still leaves room for hundreds of items, lasting slowness does not', () => {
  const { queue, pass } = createTestQueue()
  serve(400, 1, queue, pass)
  queue.enqueue(1)
  pass(1_500)
  queue.take()
  serve(100, 1, queue, pass)
  expect(fill(queue)).toBeGreaterThan(400)
  queue.clear()
  serve(20, 100, queue, pass)
  expect(fill(queue)).toBeLessThan(30)
})

test('an item that waited in an empty queue does not count as slow work', () => {
  const { queue, pass } = createTestQueue()
  for (let item = 0; item < 400; item++) {
    queue.enqueue(item)
    pass(100)
    queue.take()
  }
  expect(fill(queue)).toBe(2_000)
})

test('a measurement expires when nothing has waited for a while', () => {
  const { queue, pass } = createTestQueue()
  serve(400, 100, queue, pass)
  expect(fill(queue)).toBeLessThan(30)
  while (queue.take() !== undefined);
  pass(60_000)
  expect(fill(queue)).toBe(2_000)
})

test('an item times out even if nothing is ever taken', async () => {
  const timedOut = Promise.withResolvers<number>()
  const queue = createWaitQueue<number>({ assumedMs: 1, patienceMs: 100 }, timedOut.resolve)
  queue.enqueue(7)
  expect(await timedOut.promise).toBe(7)
  expect(queue.length).toBe(0)
})
