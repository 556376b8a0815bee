import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Counts requests rejected for lack of a valid key. A log line for each would let anyone fill the log, so they share one. */
export function createUnauthenticatedLog(log: Log, metrics: Metrics) {
  let total = 0
  const unreported = new Map<number, { requests: number }>()
  metrics.add({
    name: 'petstore_unauthenticated_requests_total',
    help: 'Requests rejected for lack of a valid key.',
    kind: 'counter',
    read: () => total,
  })

  return {
    count(status: number): void {
      total++
      unreported.getOrInsertComputed(status, () => ({ requests: 0 })).requests++
    },
    /** Writes one line for all requests since the last report. */
    report(): void {
      if (unreported.size === 0) return
      const statuses = Object.fromEntries([...unreported].map(([status, { requests }]) => [status, requests]))
      unreported.clear()
      log.write('info', 'requests without a valid key were rejected', { statuses })
    },
  }
}
