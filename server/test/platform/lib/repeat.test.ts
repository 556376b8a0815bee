import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { repeat } from '../../../src/platform/lib/repeat.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Lets this much time pass, and everything that follows happen. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms)
  for (let count = 0; count < 10; count++) await Promise.resolve()
}

test('a task runs after each wait, at once when woken, and not twice for it', async () => {
  let runs = 0
  const task = repeat(
    async () => {
      runs++
      return 100
    },
    () => undefined,
    { firstMs: 50 },
  )
  await pass(49)
  expect(runs).toBe(0)
  await pass(1)
  expect(runs).toBe(1)
  await pass(60)
  task.wake()
  task.wake()
  await pass(0)
  expect(runs).toBe(2)
  // The wait that was cut short does not end in another run.
  await pass(99)
  expect(runs).toBe(2)
  await pass(1)
  expect(runs).toBe(3)
  await task.run()
  expect(runs).toBe(4)
  await task.stop()
  task.wake()
  await task.run()
  await pass(1_000)
  expect(runs).toBe(4)
})

test('a task that is woken while it runs runs again right after, and one that fails after its own wait', async () => {
  let runs = 0
  const faults: unknown[] = []
  let finish = Promise.withResolvers<number>()
  const task = repeat(
    () => {
      runs++
      return finish.promise
    },
    (error) => faults.push(error),
    { failedMs: 30 },
  )
  await pass(0)
  task.wake()
  finish.resolve(500)
  finish = Promise.withResolvers<number>()
  await pass(0)
  await pass(0)
  expect(runs).toBe(2)
  finish.reject('broken')
  finish = Promise.withResolvers<number>()
  await pass(0)
  expect(faults).toEqual(['broken'])
  await pass(29)
  expect(runs).toBe(2)
  await pass(1)
  expect(runs).toBe(3)
  // Asked to run while it runs: it does so afterwards.
  const ran = task.run()
  finish.resolve(0)
  finish = Promise.withResolvers<number>()
  await pass(0)
  expect(runs).toBe(4)
  finish.resolve(0)
  await ran
  await task.stop()
})
