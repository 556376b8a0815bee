import { expect, test } from 'bun:test'
import { createTimeOfDay } from '../../src/sandbox/time-of-day.ts'

const day = Date.UTC(2026, 0, 1)

test('what lies between two times is exact, although the machine’s clock counts whole milliseconds', () => {
  const timeOfDay = createTimeOfDay(() => Math.floor(day + performance.now()))
  const from = performance.now()
  const first = timeOfDay(from)
  for (let at = from; at < from + 5; at = performance.now()) expect(timeOfDay(at) - first).toBeCloseTo(at - from, 2)
})

test('when the machine’s clock is set, later times follow it', () => {
  let ahead = 0
  const timeOfDay = createTimeOfDay(() => Math.floor(day + performance.now() + ahead))
  for (ahead of [0, 3_600_000, -60_000]) {
    const at = performance.now()
    // A reading that was interrupted does not count, so the next one does.
    const differs = () => Math.abs(timeOfDay(at) - (day + at + ahead))
    while (differs() > 2) expect(performance.now() - at).toBeLessThan(10_000)
    expect(differs()).toBeLessThanOrEqual(2)
  }
})
