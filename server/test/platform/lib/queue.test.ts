import { expect, test } from 'bun:test'
import { Queue } from '../../../src/platform/lib/queue.ts'
import { seeded } from '../../harness/seeded.ts'

test('items come out in the order they went in', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`queue: SEED=${seed}\n`)
  const below = seeded(seed)
  const queue = new Queue<number>()
  const expected: number[] = []
  for (let step = 0; step < 5_000; step++) {
    // For a while more are pushed than taken, and then more are taken: sometimes the queue is long, sometimes empty.
    const comes = step % 500 < 250 ? 7 : 3
    if (below(10) < comes) {
      queue.push(step)
      expected.push(step)
    } else {
      expect(queue.shift()).toBe(expected.shift())
    }
    expect(queue.first).toBe(expected[0])
    expect(queue.length).toBe(expected.length)
  }
})
