import { expect, test } from 'bun:test'
import { addressSubject, createMemoryLimiter, Meter } from '../../../src/platform/limits/limiter.ts'
import { Undecided } from '../../../src/platform/limits/pending-calls.ts'

const noon = Date.UTC(2026, 10, 15, 12)
const limits = { perMinute: 60, perDay: 1_000 }

const heapBytes = () => {
  Bun.gc(true)
  return process.memoryUsage().heapUsed
}

test('a million addresses take no more memory than a hundred thousand, and do not displace a busy one', async () => {
  const limiter = createMemoryLimiter()
  const busy = addressSubject('192.0.2.1')
  let admitted = 0
  let calls = 0
  function callFromAddresses(from: number, to: number): void {
    for (let index = from; index < to; index++) {
      limiter.admit(
        addressSubject(`2001:db8:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}::/64`),
        limits,
        noon,
      )
      if (index % 5_000 !== 0) continue
      calls++
      if (limiter.admit(busy, limits, noon).admitted) admitted++
    }
  }
  callFromAddresses(0, 100_000)
  const before = heapBytes()
  callFromAddresses(100_000, 1_100_000)
  // All of them would take hundreds of MiB.
  expect(heapBytes() - before).toBeLessThan(64 * 2 ** 20)
  expect([calls, admitted]).toEqual([220, 60])
})

test('keys that called once are forgotten two days later', async () => {
  const limiter = createMemoryLimiter()
  const before = heapBytes()
  for (let key = 0; key < 100_000; key++) limiter.admit(`key:${key}`, limits, noon)
  await limiter.forgetIdle(noon)
  expect(heapBytes() - before).toBeGreaterThan(10 * 2 ** 20)
  await limiter.forgetIdle(noon + 2 * 86_400_000)
  expect(heapBytes() - before).toBeLessThan(5 * 2 ** 20)
})

test('a clock that steps back up to three days goes on counting in the day it returns to', () => {
  const meter = new Meter('key:1')
  const daysAgo = (days: number) => noon - days * 86_400_000
  for (const days of [4, 3, 2, 1, 0]) meter.setUsed(daysAgo(days), { minute: 1, day: 10 + days })
  expect([0, 1, 2, 3, 4].map((days) => meter.used(daysAgo(days)).day)).toEqual([10, 11, 12, 13, 0])
})

test('requests are undecided until each of them is decided', () => {
  const undecided = new Undecided()
  undecided.add('key:1', 3)
  undecided.add('key:1', -1)
  undecided.add('key:2', 1)
  expect([undecided.of('key:1'), undecided.of('key:2')]).toEqual([2, 1])
  undecided.add('key:1', -2)
  expect([undecided.of('key:1'), undecided.of('key:2')]).toEqual([0, 1])
})

test('reading what is left creates no meter', async () => {
  const limiter = createMemoryLimiter()
  const before = heapBytes()
  for (let key = 0; key < 100_000; key++) limiter.used(`key:${key}`, noon)
  expect(heapBytes() - before).toBeLessThan(5 * 2 ** 20)
})

test('strikes count for ten minutes', () => {
  const limiter = createMemoryLimiter()
  const rejectedAt = (at: number) => {
    while (limiter.admit('key:1', limits, at).admitted);
    return limiter.admit('key:1', limits, at).strikes
  }
  rejectedAt(noon)
  const strikes = rejectedAt(noon + 2_000)
  expect(strikes).toBeGreaterThan(0)
  expect(rejectedAt(noon + 9 * 60_000)).toBe(strikes)
  expect(rejectedAt(noon + 10 * 60_000)).toBe(0)
})

test('a limiter that continues from counts seen elsewhere also continues from the rejections', () => {
  const strikesOf = (resume: (limiter: ReturnType<typeof createMemoryLimiter>) => void) => {
    const limiter = createMemoryLimiter()
    limiter.resume('key:1', { minute: 60, day: 60 }, noon)
    resume(limiter)
    return limiter.admit('key:1', limits, noon + 1_501).strikes
  }
  expect(strikesOf(() => undefined)).toBe(0)
  expect(
    strikesOf((limiter) =>
      limiter.resume('key:1', { minute: 60, day: 60 }, noon, { window: 'minute', firstAt: noon + 500, graced: 1 }),
    ),
  ).toBe(1)
  expect(
    strikesOf((limiter) =>
      limiter.resume('key:1', { minute: 60, day: 60 }, noon, { window: 'minute', firstAt: noon + 501, graced: 1 }),
    ),
  ).toBe(0)
  expect(
    strikesOf((limiter) =>
      limiter.resume('key:1', { minute: 60, day: 60 }, noon, { window: 'minute', firstAt: noon + 501, graced: 200 }),
    ),
  ).toBe(1)
})
