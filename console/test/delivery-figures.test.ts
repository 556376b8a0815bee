import { expect, test } from 'bun:test'
import type { DeliveryAttempt } from '@petstore/sdk'
import { countByHour, ratesOf } from '../src/delivery-figures.ts'

const attempt = (time: string, status: number | null, latencyMs = 1) =>
  ({ time, status, latencyMs }) as unknown as DeliveryAttempt

test('an attempt counts in the hour in which it began, as a success if its status is from 200 to 299', () => {
  const attempts = [
    attempt('2026-11-16T13:00:00.000Z', 200),
    // Before the 24 hours.
    attempt('2026-11-16T12:59:59.999Z', 200),
    attempt('2026-11-17T11:59:59.999Z', 199),
    attempt('2026-11-17T12:00:00.000Z', 299),
    attempt('2026-11-17T12:29:59.999Z', 300),
    attempt('2026-11-17T12:30:00.000Z', null),
  ]
  const { times, succeeded, failed } = countByHour(attempts, Date.parse('2026-11-17T12:30:00.000Z'))
  expect(times.map((ms) => new Date(ms).getUTCHours())).toEqual([...Array(24).keys()].map((hour) => (hour + 13) % 24))
  const between = Array(21).fill(0)
  expect(succeeded).toEqual([1, ...between, 0, 1])
  expect(failed).toEqual([0, ...between, 1, 2])
  expect(ratesOf(attempts)).toMatchObject({ succeeded: 3, percent: 50 })
})

test('half and 95 % of the attempts took at most the latencies that are shown', () => {
  // From 10 to 1,000 ms, in no particular order.
  const attempts = Array.from({ length: 100 }, (_, index) =>
    attempt('2026-11-17T12:00:00Z', 200, 1_000 - ((index * 37) % 100) * 10),
  )
  expect(ratesOf(attempts)).toMatchObject({ halfMs: 510, mostMs: 960 })
})
