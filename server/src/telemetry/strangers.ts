import { entryOf } from '../lib/entry-of.ts'
import type { Log } from './log.ts'
import type { RequestMetrics } from './metrics.ts'

/** Requests refused for want of a valid key. A line each would let anybody fill the log, so they are told of together. */
export function createStrangers(log: Log, metrics: RequestMetrics) {
  let total = 0
  const untold = new Map<number, { requests: number }>()
  metrics.add({
    name: 'petstore_strangers_refused_total',
    help: 'Requests refused that carried no valid key.',
    kind: 'counter',
    read: () => total,
  })

  return {
    refused(status: number): void {
      total++
      entryOf(untold, status, () => ({ requests: 0 })).requests++
    },
    /** One line for all since the last. */
    tell(): void {
      if (untold.size === 0) return
      const statuses = Object.fromEntries([...untold].map(([status, { requests }]) => [status, requests]))
      untold.clear()
      log.write('info', 'requests without a valid key were refused', { statuses })
    },
  }
}
