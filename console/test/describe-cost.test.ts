import { expect, test } from 'bun:test'
import { describeCost } from '../src/describe-cost.ts'

const key = { isAtMost: false, perMinute: 60, leftToday: 200 }

test('the cost of a task says how long it takes, and what cannot be done today', () => {
  expect(describeCost({ ...key, requests: 1 })).toBe('Costs your key 1 request.')
  expect(describeCost({ ...key, requests: 60, isAtMost: true })).toBe('Costs your key at most 60 requests.')
  const all = 'Costs your key 200 requests, about 4 minutes at 60 a minute.'
  expect(describeCost({ ...key, requests: 200 })).toBe(all)
  expect(describeCost({ ...key, requests: 200, leftToday: 199 })).toBe(
    `${all} It has 199 left today, so not all of it can be done today.`,
  )
})
