import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { systemClock } from '../../src/lib/clock.ts'

afterEach(() => void setSystemTime())

const noon = Date.UTC(2026, 10, 15, 12)

test('the clock follows the machine forwards, but not back', () => {
  const clock = systemClock()
  const reads = (machine: number) => {
    setSystemTime(new Date(noon + machine))
    return clock.now() - noon
  }
  expect(reads(0)).toBe(0)
  expect(reads(5_000)).toBe(5_000)
  // An hour back: time stands where it was, and goes on from there at the real rate.
  expect(reads(-3_600_000)).toBe(5_000)
  expect(reads(-3_599_000)).toBe(6_000)
  expect(reads(-3_590_000)).toBe(15_000)
  // A second step back on top of the first.
  expect(reads(-3_600_000)).toBe(15_000)
  // Corrected: the machine is right again and ahead of where we stand.
  expect(reads(60_000)).toBe(60_000)
  expect(reads(61_000)).toBe(61_000)
})
