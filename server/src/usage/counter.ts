import type { Database } from '../db/database.ts'
import { lastUsedStepMs, setLastUsed } from '../keys/store.ts'
import type { Clock } from '../lib/clock.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { hourMs } from '../lib/time.ts'
import { windowStart } from '../limits/windows.ts'
import { addCounts, type Counted, countsOf } from './counts.ts'
import { appendUsage } from './store.ts'

type UsageOutcome = 'allowed' | 'limited' | 'errors'

export interface UsageCounter {
  count(keyId: number, outcome: UsageOutcome, requests: number, now: number): void
  flush(): Promise<void>
}

/**
 * Counts in memory; written to the database each second and at shutdown, so a request pays nearly nothing. When a key was last used is
 * written with it, unless that was noted lately.
 */
export function createUsageCounter(db: Database, clock: Clock): UsageCounter {
  let hours: Counted = new Map()
  const lastNoted = new Map<number, number>()

  return {
    count(keyId, outcome, requests, now) {
      const counts = countsOf(hours, windowStart(now, hourMs), keyId)
      // An admitted request that failed is both: it was allowed, and it ended in an error.
      if (outcome === 'errors') counts.allowed += requests
      counts[outcome] += requests
    },

    flush: oneAtATime(async () => {
      const now = clock.now()
      for (const [keyId, at] of lastNoted) if (now - at >= lastUsedStepMs) lastNoted.delete(keyId)
      if (hours.size === 0) return
      const writing = hours
      hours = new Map()
      try {
        const used = new Set([...writing.values()].flatMap((byKey) => [...byKey.keys()]))
        const toNote = [...used].filter((keyId) => !lastNoted.has(keyId)).sort((one, other) => one - other)
        const noted = await db.transaction(async (tx) => {
          await appendUsage(tx, writing)
          return setLastUsed(tx, toNote, now)
        })
        for (const keyId of noted) lastNoted.set(keyId, now)
      } catch (error) {
        // What could not be written is written with what has come in since.
        addCounts(hours, writing)
        throw error
      }
    }),
  }
}
