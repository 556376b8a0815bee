import type { Database } from '../db/database.ts'
import { lastUsedStepMs, setLastUsed } from '../keys/store.ts'
import type { Clock } from '../lib/clock.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { hourMs } from '../lib/time.ts'
import { windowStart } from '../limits/windows.ts'
import { addCounts, type Counted, countsOf } from './counts.ts'
import { addUsage } from './store.ts'

type UsageOutcome = 'allowed' | 'limited' | 'errors'

export interface UsageCounter {
  count(keyId: number, outcome: UsageOutcome, requests: number, now: number): void
  /** Notes that the key was used; written only when that was not noted lately. */
  touch(keyId: number, now: number): void
  flush(): Promise<void>
}

/** Counts in memory; written to the database each second and at shutdown, so a request pays nearly nothing. */
export function createUsageCounter(db: Database, clock: Clock): UsageCounter {
  let hours: Counted = new Map()
  let touched = new Set<number>()
  const lastNoted = new Map<number, number>()

  return {
    count(keyId, outcome, requests, now) {
      const counts = countsOf(hours, windowStart(now, hourMs), keyId)
      // An admitted request that failed is both: it was allowed, and it ended in an error.
      if (outcome === 'errors') counts.allowed += requests
      counts[outcome] += requests
    },

    touch(keyId, now) {
      if (now - (lastNoted.get(keyId) ?? Number.NEGATIVE_INFINITY) >= lastUsedStepMs) touched.add(keyId)
    },

    flush: oneAtATime(async () => {
      const now = clock.now()
      for (const [keyId, at] of lastNoted) if (now - at >= lastUsedStepMs) lastNoted.delete(keyId)
      if (hours.size === 0 && touched.size === 0) return
      const [writing, touching] = [hours, touched]
      hours = new Map()
      touched = new Set()
      try {
        const noted = await db.transaction(async (tx) => {
          await addUsage(tx, writing)
          return setLastUsed(
            tx,
            [...touching].sort((one, other) => one - other),
            now,
          )
        })
        for (const keyId of noted) lastNoted.set(keyId, now)
      } catch (error) {
        // What could not be written is written with what has come in since.
        addCounts(hours, writing, (hour) => hour)
        touched = new Set([...touching, ...touched])
        throw error
      }
    }),
  }
}
