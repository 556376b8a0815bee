import { expect, test } from 'bun:test'
import { createError } from '../src/error-kinds.ts'
import type { Code } from '../src/errors.ts'
import { Gate } from '../src/gate.ts'
import { Share } from '../src/share.ts'

// What a client concludes from rejections and from what its responses say is left.

/** A gate on a clock that the test sets. A request that it would not let through now is rejected. */
function gateAt(start: number) {
  let now = start
  const gate = new Gate({ now: () => now, random: () => 0, sleep: async () => undefined })
  const enter = (cost = 1, leaveFree = 0) =>
    gate.enter({ cost, deadline: now, signal: undefined, throttle: true, leaveFree })
  return {
    gate,
    set: (to: number) => {
      now = to
    },
    enter,
    /** Sends a request that gets this much left in the minute. */
    async send(remaining: number, { status = 200, cost = 1, seconds = 60 } = {}) {
      await enter(cost)
      const headers = { 'RateLimit-Policy': '"minute";q=60', RateLimit: `"minute";r=${remaining};t=${seconds}` }
      gate.leave(cost, new Response(null, { status, headers }))
    },
    rejectionOf: (cost = 1, leaveFree = 0) =>
      enter(cost, leaveFree).then(
        () => undefined,
        ({ code, status, retryAfterMs }) => ({ code, status, retryAfterMs }),
      ),
  }
}

const rejected = (code: Code, retryAfterMs: number) => createError({ code, status: 429, message: '', retryAfterMs })

test.each(['rate_limited', 'quota_exhausted'] as const)(
  'after %s, a call that cannot wait is rejected as such',
  async (code) => {
    const { gate, rejectionOf } = gateAt(0)
    gate.block(rejected(code, 7_000))
    expect(await rejectionOf()).toEqual({ code, status: 429, retryAfterMs: 7_000 })
  },
)

test('a shorter Retry-After neither ends nor renames a longer block', async () => {
  const { gate, rejectionOf } = gateAt(0)
  gate.block(rejected('quota_exhausted', 90_000))
  gate.block(rejected('rate_limited', 7_000))
  expect(await rejectionOf()).toEqual({ code: 'quota_exhausted', status: 429, retryAfterMs: 90_000 })
})

test('requests that were on their way when the first was rejected count as one rejection', async () => {
  const { gate, send, set, rejectionOf } = gateAt(0)
  for (let count = 0; count < 5; count++) gate.block(rejected('rate_limited', 1_000))
  set(1_000)
  await send(20)
  // The key seems to be shared by two, so half of what is left is ours.
  expect(await rejectionOf(11)).toMatchObject({ code: 'rate_limited' })
  expect(await rejectionOf(10)).toBeUndefined()
})

test('a rejected request is not counted as ours: what was used before it was used by others', async () => {
  const { send, set, rejectionOf } = gateAt(0)
  await send(59)
  await send(0, { status: 429 })
  // One request of ours and 58 of others: next minute a 59th part is ours.
  set(60_000)
  await send(58)
  expect(await rejectionOf()).toMatchObject({ code: 'rate_limited' })
})

test('a response that was overtaken by a later one does not give back what that one used', async () => {
  const { send, rejectionOf } = gateAt(0)
  await send(10)
  await send(11)
  expect(await rejectionOf(11)).toMatchObject({ code: 'rate_limited' })
  expect(await rejectionOf(10)).toBeUndefined()
})

test('a long task leaves a share of the limit for others', async () => {
  const { send, rejectionOf } = gateAt(0)
  await send(20)
  // A quarter of 60.
  expect(await rejectionOf(6, 0.25)).toEqual({ code: 'rate_limited', status: 429, retryAfterMs: 60_000 })
  expect(await rejectionOf(5, 0.25)).toBeUndefined()
})

test('other calls do not wait behind a long task that waits', async () => {
  const sleep = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const gate = new Gate({ now: () => 0, random: () => 0, sleep })
  const order: string[] = []
  const enter = async (name: string, leaveFree: number) => {
    await gate.enter({ cost: 1, deadline: 600_000, signal: undefined, throttle: true, leaveFree })
    order.push(name)
  }
  const leave = (remaining: number, seconds: number) => {
    const headers = { 'RateLimit-Policy': '"minute";q=60', RateLimit: `"minute";r=${remaining};t=${seconds}` }
    gate.leave(1, new Response(null, { headers }))
  }
  await enter('first', 0)
  leave(15, 60)
  const task = enter('task', 0.25)
  await enter('user', 0)
  leave(60, 120)
  await task
  expect(order).toEqual(['first', 'user', 'task'])
})

test('a response that names no limits means that there are none', async () => {
  const { gate, enter, rejectionOf } = gateAt(0)
  await enter()
  gate.leave(1, new Response())
  await enter(1_000)
  expect(await rejectionOf(1_000)).toBeUndefined()
})

test('a call behind others whose responses take too long is not sent', async () => {
  const { enter, rejectionOf } = gateAt(0)
  await enter()
  expect(await rejectionOf()).toMatchObject({ code: 'timed_out', status: 0 })
})

test('each rejection halves the share, up to 64 parts, and ten minutes without one double it', () => {
  const share = new Share()
  const minute = 60_000
  share.countRejection(minute)
  share.countRejection(minute)
  expect(share.parts(minute)).toBe(4)
  expect(share.parts(11 * minute - 1)).toBe(4)
  expect(share.parts(11 * minute)).toBe(2)
  expect(share.parts(21 * minute - 1)).toBe(2)
  expect(share.parts(21 * minute)).toBe(1)
  expect(share.parts(31 * minute)).toBe(1)
  for (let count = 0; count < 9; count++) share.countRejection(31 * minute)
  expect(share.parts(31 * minute)).toBe(64)
})

test('what is left falls by more than was sent: others use the key, also in the next window', () => {
  const share = new Share()
  share.startWindow(60)
  share.countResponse(1, 60, 0)
  expect(share.parts(0)).toBe(1)
  // Two of ours are on their way and may be counted already.
  share.countResponse(1, 57, 2)
  expect(share.parts(0)).toBe(1)
  share.countResponse(1, 50, 0)
  expect(share.parts(0)).toBe(1 + Math.ceil(8 / 3))
  share.startWindow(60)
  expect(share.parts(0)).toBe(1 + Math.ceil(8 / 3))
  share.startWindow(60)
  expect(share.parts(0)).toBe(1)
})

test('a late response of the last window says nothing about this one', async () => {
  const { gate, enter, send, set, rejectionOf } = gateAt(0)
  const leave = (remaining: number, seconds: number) => {
    const headers = { 'RateLimit-Policy': '"minute";q=60', RateLimit: `"minute";r=${remaining};t=${seconds}` }
    gate.leave(1, new Response(null, { headers }))
  }
  await send(59)
  await enter()
  await enter()
  set(60_000)
  leave(58, 60)
  leave(0, 1)
  expect(gate.last?.minute?.remaining).toBe(58)
  expect(await rejectionOf()).toBeUndefined()
})
