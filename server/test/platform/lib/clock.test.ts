import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/platform/lib/clock.ts'

const noon = Date.UTC(2026, 10, 15, 12)
const hour = 3_600_000

/** A clock whose machine time and elapsed time the test sets, in milliseconds after noon. */
function clockAt(start: number) {
  const machine = { wall: start, running: 5_000 }
  const clock = systemClock(
    () => noon + machine.wall,
    () => machine.running,
  )
  clock.now()
  return {
    /** Lets time pass, then sets the machine's clock. Returns the time of the clock. */
    after(passMs: number, setMs = 0): number {
      machine.running += passMs
      machine.wall += passMs + setMs
      return clock.now() - noon
    },
    settled: () => clock.settled() - noon,
  }
}

test('it follows the machine', () => {
  const clock = clockAt(0)
  expect(clock.after(0)).toBe(0)
  expect(clock.after(5_000)).toBe(5_000)
  expect(clock.after(0, hour)).toBe(5_000 + hour)
})

test('a small step back is smoothed: time stands still until the machine has caught up, and never goes back', () => {
  const clock = clockAt(0)
  expect(clock.after(10_000)).toBe(10_000)
  expect(clock.after(0, -900)).toBe(10_000)
  expect(clock.after(300)).toBe(10_000)
  expect(clock.after(599)).toBe(10_000)
  expect(clock.after(2)).toBe(10_001)
  expect(clock.after(1_000)).toBe(11_001)
})

test('a small step back is smoothed even if the clock was not read for a while', () => {
  const clock = clockAt(0)
  expect(clock.after(10_000)).toBe(10_000)
  expect(clock.after(500, -900)).toBe(10_000)
  expect(clock.after(500)).toBe(10_100)
})

test('a forward jump that is corrected is followed back immediately', () => {
  const clock = clockAt(0)
  expect(clock.after(1_000, hour)).toBe(hour + 1_000)
  expect(clock.after(60_000)).toBe(hour + 61_000)
  expect(clock.after(1_000, -hour)).toBe(62_000)
  expect(clock.after(1_000)).toBe(63_000)
})

test('a backward jump that is corrected is followed forward', () => {
  const clock = clockAt(0)
  expect(clock.after(1_000, -hour)).toBe(1_000 - hour)
  expect(clock.after(1_000, hour)).toBe(2_000)
})

test('it is never more than a second from the machine, however often that is set', () => {
  const clock = clockAt(0)
  let machine = 0
  for (const [passMs, setMs] of [
    [10, -600],
    [10, -600],
    [0, 5_000],
    [700, -4_999],
    [3, -999],
    [3, -999],
    [60_000, 0],
    [1, -86_400_000],
  ] as const) {
    machine += passMs + setMs
    expect(Math.abs(clock.after(passMs, setMs) - machine)).toBeLessThan(1_000)
  }
})

test('a forward jump counts as settled after ten minutes of elapsed time', () => {
  const clock = clockAt(0)
  clock.after(11 * 60_000)
  expect(clock.settled()).toBe(11 * 60_000)
  clock.after(0, 48 * hour)
  expect(clock.settled()).toBe(11 * 60_000)
  clock.after(9 * 60_000)
  expect(clock.settled()).toBe(20 * 60_000)
  clock.after(60_000)
  expect(clock.settled()).toBe(21 * 60_000 + 48 * hour)
})

test('a forward jump that is undone never counted as settled', () => {
  const clock = clockAt(0)
  clock.after(11 * 60_000)
  clock.after(60_000, 48 * hour)
  clock.after(60_000, -48 * hour)
  expect(clock.settled()).toBe(13 * 60_000)
})

test('after a start no time is settled for ten minutes: the clock of a booting machine is often wrong', () => {
  const clock = clockAt(48 * hour)
  expect(clock.settled() + noon).toBe(0)
  clock.after(60_000, -48 * hour)
  expect(clock.settled() + noon).toBe(60_000)
  clock.after(10 * 60_000)
  expect(clock.settled()).toBe(11 * 60_000)
})
