import { expect, test } from 'bun:test'
import { describeCost } from '../src/describe-cost.ts'

const minute = { limit: 60, remaining: 60 }
const day = { limit: 1_000, remaining: 300 }

test('the cost of a task says how long it takes, what it leaves for the user, and what cannot be done today', () => {
  expect(describeCost(1, minute, day)).toBe('Takes 1 of your requests.')
  expect(describeCost(54, minute, day)).toBe('Takes 54 of your requests.')
  const advice =
    'That leaves 6 a minute for you, and none for programs that use this key too: sign in with a separate key for a task this large.'
  expect(describeCost(200, minute, day)).toBe(`Takes 200 of your requests, about 4 minutes at 54 a minute. ${advice}`)
  expect(describeCost(201, minute, day)).toBe(
    `Takes 201 of your requests, about 4 minutes at 54 a minute. ${advice} Only 200 are left for it today, so not all of it can be done today.`,
  )
})
