import { expect, test } from 'bun:test'
import { withTimeout } from '../../../src/platform/lib/with-timeout.ts'
import { failureOf } from '../../harness/failure-of.ts'

const late = () => new Error('late')

/** Resolves after this many passes of the event loop, like a response that has to be read from a socket. */
async function respondAfter(turns: number): Promise<string> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
  return 'response'
}

/** Blocks the event loop, like a machine that does not schedule the process. */
const holdUp = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a result in time is returned, and so is an error', async () => {
  expect(await withTimeout(1_000, respondAfter(1), late)).toBe('response')
  expect(String(await failureOf(withTimeout(1_000, Promise.reject(new Error('rejected')), late)))).toContain('rejected')
})

test('a promise that never settles times out', async () => {
  expect(String(await failureOf(withTimeout(20, new Promise(() => undefined), late)))).toContain('late')
})

test('time in which the process was blocked does not count', async () => {
  const response = withTimeout(50, respondAfter(5), late)
  holdUp(500)
  expect(await response).toBe('response')
})
