import { expect, test } from 'bun:test'
import { Queue } from '../../src/lib/queue.ts'
import { seeded } from '../harness/seeded.ts'

test('whatever comes and goes, the first to come is the first to go', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`queue: SEED=${seed}\n`)
  const below = seeded(seed)
  const queue = new Queue<number>()
  const expected: number[] = []
  for (let step = 0; step < 5_000; step++) {
    // More come than go for a while, and then more go: at times it is long, at others empty.
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
