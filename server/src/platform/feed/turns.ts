import { setTimeout as pause } from 'node:timers/promises'

/** Each turn is followed by a pause of the same length within these bounds, so that catching up rarely takes more than half the time. */
const restMsMin = 1
const restMsMax = 20

/** Lets streams catch up one at a time, round-robin by key, with the event loop free in between. */
export interface Turns {
  /** Runs `work` when it is this key's turn. */
  take<T>(keyId: number, work: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  /** Waiting work by key; the key that has waited longest comes first. */
  const waiting = new Map<number, (() => Promise<void>)[]>()
  let isServing = false

  function next(): (() => Promise<void>) | undefined {
    for (const [keyId, queue] of waiting) {
      const work = queue.shift()
      waiting.delete(keyId)
      if (queue.length > 0) waiting.set(keyId, queue)
      return work
    }
    return undefined
  }

  async function serve(): Promise<void> {
    isServing = true
    for (let work = next(); work; work = next()) {
      const began = performance.now()
      await work()
      await pause(Math.min(Math.max(performance.now() - began, restMsMin), restMsMax))
    }
    isServing = false
  }

  return {
    take: (keyId, work) =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(keyId) ?? []
        waiting.set(keyId, queue)
        queue.push(() => work().then(resolve, reject))
        if (!isServing) void serve()
      }),
  }
}
