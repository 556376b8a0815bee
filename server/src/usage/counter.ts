import type { Database } from '../db/database.ts'
import { setLastUsed } from '../keys/store.ts'
import type { Clock } from '../lib/clock.ts'
import { entryOf } from '../lib/entry-of.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { hourMs, minuteMs, windowStart } from '../limits/windows.ts'
import { addUsage, type Counts } from './store.ts'

export type UsageOutcome = 'allowed' | 'limited' | 'errors'

export interface UsageCounter {
  count(keyId: number, outcome: UsageOutcome): void
  /** Notes that the key was used; written at most once a minute. */
  touch(keyId: number, now: number): void
  flush(): Promise<void>
}

const touchMs = minuteMs

/** Counts in memory; written to the database each second and at shutdown, so a request pays nearly nothing. */
export function createUsageCounter(db: Database, clock: Clock): UsageCounter {
  let hours = new Map<number, Map<number, Counts>>()
  let touched = new Set<number>()
  const lastNoted = new Map<number, number>()

  function entry(hour: number, keyId: number): Counts {
    const counts = entryOf(hours, hour, () => new Map<number, Counts>())
    return entryOf(counts, keyId, () => ({ allowed: 0, limited: 0, errors: 0 }))
  }

  /** Takes back what could not be written, to be written with what has come in since. */
  function takeBack(unwritten: typeof hours, unnoted: typeof touched): void {
    for (const [hour, counts] of unwritten) {
      for (const [keyId, { allowed, limited, errors }] of counts) {
        const sum = entry(hour, keyId)
        sum.allowed += allowed
        sum.limited += limited
        sum.errors += errors
      }
    }
    touched = new Set([...unnoted, ...touched])
  }

  return {
    count(keyId, outcome) {
      const counts = entry(windowStart(clock.now(), hourMs), keyId)
      // An admitted request that failed is both: it was allowed, and it ended in an error.
      if (outcome === 'errors') counts.allowed++
      counts[outcome]++
    },

    touch(keyId, now) {
      if (now - (lastNoted.get(keyId) ?? Number.NEGATIVE_INFINITY) >= touchMs) touched.add(keyId)
    },

    flush: oneAtATime(async () => {
      const now = clock.now()
      for (const [keyId, at] of lastNoted) if (now - at >= touchMs) lastNoted.delete(keyId)
      if (hours.size === 0 && touched.size === 0) return
      const [writing, touching] = [hours, touched]
      hours = new Map()
      touched = new Set()
      try {
        const noted = await db.transaction(async (tx) => {
          for (const [hour, counts] of writing) await addUsage(tx, hour, counts)
          return setLastUsed(
            tx,
            [...touching].sort((one, other) => one - other),
            now,
          )
        })
        for (const keyId of noted) lastNoted.set(keyId, now)
      } catch (error) {
        takeBack(writing, touching)
        throw error
      }
    }),
  }
}
