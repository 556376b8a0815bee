import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  blockingWindow,
  createMemoryLimiter,
  fits,
  isMinuteTightest,
  secondsUntil,
  windowStates,
} from '../../../src/platform/limits/limiter.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const runs = { seed, numRuns: 2_000, verbose: 1 } as const
process.stdout.write(`windows: SEED=${seed}\n`)

const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) })
const quota = fc.record({ perMinute: fc.integer({ min: 1, max: 5 }), perDay: fc.integer({ min: 1, max: 12 }) })

/** A reference implementation by calendar fields instead of arithmetic, from a log of what was admitted. */
function reference(admitted: number[], { perMinute, perDay }: { perMinute: number; perDay: number }, now: number) {
  const iso = new Date(now).toISOString()
  const within = (length: number) =>
    admitted.filter((at) => new Date(at).toISOString().slice(0, length) === iso.slice(0, length)).length
  const left = { minute: Math.max(0, perMinute - within(16)), day: Math.max(0, perDay - within(10)) }
  const midnight = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`) + 86_400_000
  const resets = { minute: Date.parse(`${iso.slice(0, 16)}:00Z`) + 60_000, day: midnight }
  const name: 'minute' | 'day' = left.day <= left.minute ? 'day' : 'minute'
  return { admits: left.minute > 0 && left.day > 0, left, resets, name }
}

test('the arithmetic agrees with the reference for any time and any counts', () => {
  fc.assert(
    fc.property(moment, quota, fc.nat(8), fc.nat(15), (now, limits, minute, more) => {
      const used = { minute, day: minute + more }
      const windows = windowStates(used, limits, now)
      const expected = reference([...Array(minute).fill(now), ...Array(more).fill(now)], limits, now)
      expect(windows[1].resetAt).toBe(expected.resets.day)
      expect(windows[0].resetAt).toBe(expected.resets.minute)
      expect(windows[1].remaining).toBe(expected.left.day)
      const hasRoom = fits({ minute: used.minute + 1, day: used.day + 1 }, limits)
      expect(hasRoom).toBe(minute < limits.perMinute && minute + more < limits.perDay)
      for (const { remaining, resetAt } of windows) {
        expect(remaining).toBeGreaterThanOrEqual(0)
        expect(resetAt).toBeGreaterThan(now)
        expect(resetAt % 1000).toBe(0)
        // Waiting that many seconds is enough, and one second less is not.
        const wait = secondsUntil(resetAt, now)
        expect(now + wait * 1000).toBeGreaterThanOrEqual(resetAt)
        expect(now + (wait - 1) * 1000).toBeLessThan(resetAt)
      }
      const [leftInMinute, leftInDay] = [windows[0].remaining, windows[1].remaining]
      const least = isMinuteTightest(leftInMinute, leftInDay) ? leftInMinute : leftInDay
      expect(least).toBe(Math.min(leftInMinute, leftInDay))
      if (!hasRoom) expect(blockingWindow(windows).remaining).toBe(0)
    }),
    runs,
  )
})

test('the limiter admits what the reference admits, whatever the clock does', async () => {
  // Time advances within minutes, over minutes and over midnights; the clock is off by up to 90 s.
  const step = fc.record({
    advanceMs: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 9 * 3_600_000 })),
    offMs: fc.integer({ min: -90_000, max: 90_000 }),
  })
  await fc.assert(
    fc.asyncProperty(moment, quota, fc.array(step, { maxLength: 60 }), async (start, limits, steps) => {
      const limiter = createMemoryLimiter()
      const log: number[] = []
      let time = start
      for (const { advanceMs, offMs } of steps) {
        time += advanceMs
        const now = time + offMs
        const expected = reference(log, limits, now)
        const { admitted, used } = await limiter.admit('key:1', limits, now)
        expect(admitted).toBe(expected.admits)
        if (admitted) log.push(now)
        const { left, resets, name } = reference(log, limits, now)
        const windows = windowStates(used, limits, now)
        expect(windows.map(({ remaining }) => remaining)).toEqual([left.minute, left.day])
        const tightest = windows[isMinuteTightest(left.minute, left.day) ? 0 : 1]
        expect(tightest).toMatchObject({ name, remaining: left[name], resetAt: resets[name] })
        await limiter.forgetIdle(now)
      }
    }),
    { ...runs, numRuns: 500 },
  )
})
