import type { Database } from '../db/database.ts'
import { lastUsedStepMs, setLastUsed } from '../keys/store.ts'
import type { Clock } from '../lib/clock.ts'
import { runOneAtATime } from '../lib/concurrency.ts'
import { hourMs } from '../lib/time.ts'
import { windowStart } from '../limits/limiter.ts'
import { addCounts, type Counts, countsOf, type UsageCounts } from './counts.ts'
import { appendUsage } from './store.ts'

type UsageKind = keyof Counts

export interface UsageCounter {
  count(keyId: number, kind: UsageKind, requests: number, now: number): void
  flush(): Promise<void>
}

/**
 * Counts requests in memory, and writes the counts to the database each second and at shutdown, so a request costs almost nothing.
 * Also updates when a key was last used, unless that was done recently.
 */
export function createUsageCounter(db: Database, clock: Clock): UsageCounter {
  let hours: UsageCounts = new Map()
  const lastUpdated = new Map<number, number>()

  return {
    count(keyId, kind, requests, now) {
      const counts = countsOf(hours, windowStart(now, hourMs), keyId)
      // A failed request counts twice, as allowed and as an error, and so does a strike, as limited.
      if (kind === 'errors') counts.allowed += requests
      if (kind === 'strikes') counts.limited += requests
      counts[kind] += requests
    },

    flush: runOneAtATime(async () => {
      const now = clock.now()
      for (const [keyId, at] of lastUpdated) if (now - at >= lastUsedStepMs) lastUpdated.delete(keyId)
      if (hours.size === 0) return
      const writing = hours
      hours = new Map()
      try {
        const used = new Set([...writing.values()].flatMap((byKey) => [...byKey.keys()]))
        const toUpdate = [...used].filter((keyId) => !lastUpdated.has(keyId)).sort((one, other) => one - other)
        const updated = await db.transaction(async (tx) => {
          await appendUsage(tx, writing)
          return setLastUsed(tx, toUpdate, now)
        })
        for (const keyId of updated) lastUpdated.set(keyId, now)
      } catch (error) {
        // Keep the counts for the next flush.
        addCounts(hours, writing)
        throw error
      }
    }),
  }
}
