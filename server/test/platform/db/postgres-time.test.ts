import { expect, test } from 'bun:test'
import { leadAt } from '../../../src/platform/db/postgres-time.ts'

const minuteMs = 60_000

test('a difference between servers is corrected by a tenth of the time that passes', () => {
  const ahead = { server: 1, leadMs: 5 * minuteMs, since: 0 }
  expect([0, minuteMs, 49 * minuteMs, 50 * minuteMs, 90 * minuteMs].map((at) => leadAt(ahead, at))).toEqual([
    5 * minuteMs,
    4.9 * minuteMs,
    0.1 * minuteMs,
    0,
    0,
  ])
  const behind = { ...ahead, leadMs: -5 * minuteMs }
  expect([0, 10 * minuteMs, 60 * minuteMs].map((at) => leadAt(behind, at) + 0)).toEqual([-300_000, -240_000, 0])
})
