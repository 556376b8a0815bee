import { DatabaseUnavailable } from './database.ts'
import { createWaitQueue, type WaitQueue, waitMsMax } from './wait-queue.ts'

/**
 * How many transactions of this node that lock the same row first use a connection at a time: one has the lock and one waits for it, so
 * that it is never free. More would only wait, each with a connection that others need.
 */
const perRowMax = 2
/** The assumed time per transaction before the first measurement. */
const assumedMs = 1

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Line {
  running: number
  readonly queue: WaitQueue<Waiter>
}

/** Lets transactions that name the same row take turns, each line with the bounds of a pool's wait queue. */
export function createTurns() {
  const lines = new Map<string, Line>()

  const newLine = (): Line => ({
    running: 0,
    queue: createWaitQueue<Waiter>({ assumedMs, patienceMs: waitMsMax }, ({ reject }) =>
      reject(new DatabaseUnavailable(`others that change the same row took longer than ${waitMsMax} ms`)),
    ),
  })

  /** Waits for a turn: either there is room, or one that ends passes its turn on. */
  const wait = ({ queue }: Line): Promise<void> =>
    new Promise((resolve, reject) => {
      if (queue.enqueue({ resolve, reject })) return
      reject(new DatabaseUnavailable(`too many are waiting for the same row to be served within ${waitMsMax} ms`))
    })

  return {
    /** How many wait. */
    get waiting(): number {
      return lines.values().reduce((sum, { queue }) => sum + queue.length, 0)
    },
    async take<T>(row: string, run: () => Promise<T>): Promise<T> {
      const line = lines.get(row) ?? newLine()
      lines.set(row, line)
      if (line.running < perRowMax) line.running++
      else await wait(line)
      try {
        return await run()
      } finally {
        const next = line.queue.take()
        if (next) next.resolve()
        else if (--line.running === 0) lines.delete(row)
      }
    },
  }
}
