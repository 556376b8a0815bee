import { expect, test } from 'bun:test'
import { withTimeout } from '../../src/lib/with-timeout.ts'
import { failureOf } from '../harness/failure-of.ts'

const late = () => new Error('late')

/** Answers after this many turns of the event loop, as an answer on a socket does that has to be read and passed on. */
async function answerAfter(turns: number): Promise<string> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
  return 'answer'
}

/** Keeps the process from turning, as a machine does that has no time for it. */
const holdUp = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('an answer in time is given, and so is a failure', async () => {
  expect(await withTimeout(1_000, answerAfter(1), late)).toBe('answer')
  expect(String(await failureOf(withTimeout(1_000, Promise.reject(new Error('refused')), late)))).toContain('refused')
})

test('what never comes is late', async () => {
  expect(String(await failureOf(withTimeout(20, new Promise(() => undefined), late)))).toContain('late')
})

test('time in which the process was held up does not count', async () => {
  const answer = withTimeout(50, answerAfter(5), late)
  holdUp(500)
  expect(await answer).toBe('answer')
})
