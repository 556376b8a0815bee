import type { Database } from '../db/database.ts'
import { setLastUsed } from '../keys/store.ts'
import type { Clock } from '../lib/clock.ts'
import { entryOf } from '../lib/entry-of.ts'
import { addUsage, type Counts } from './store.ts'

export type UsageOutcome = 'allowed' | 'limited' | 'errors'

export interface UsageCounter {
  count(keyId: number, outcome: UsageOutcome): void
  /** Notes that the key was used; written at most once a minute. */
  touch(keyId: number, now: number): void
  flush(): Promise<void>
}

const hourMs = 3_600_000
const touchMs = 60_000

/** Counts in memory; written to the database each second and at shutdown, so a request pays nearly nothing. */
export function createUsageCounter(db: Database, clock: Clock): UsageCounter {
  let hour = Math.floor(clock.now() / hourMs)
  let counts = new Map<number, Counts>()
  const past: [hour: number, counts: Map<number, Counts>][] = []
  const touched = new Map<number, number>()
  const lastWritten = new Map<number, number>()

  function turn(): void {
    const current = Math.floor(clock.now() / hourMs)
    if (current === hour) return
    past.push([hour, counts])
    counts = new Map()
    hour = current
  }

  return {
    count(keyId, outcome) {
      turn()
      const entry = entryOf(counts, keyId, () => ({ allowed: 0, limited: 0, errors: 0 }))
      // An admitted request that failed is both: it was allowed, and it ended in an error.
      if (outcome === 'errors') entry.allowed++
      entry[outcome]++
    },

    touch(keyId, now) {
      if (now - (lastWritten.get(keyId) ?? Number.NEGATIVE_INFINITY) >= touchMs) touched.set(keyId, now)
    },

    async flush() {
      turn()
      const batches: typeof past = [...past.splice(0), [hour, counts]]
      counts = new Map()
      const used = [...touched]
      touched.clear()
      if (used.length === 0 && batches.every(([, batch]) => batch.size === 0)) return
      try {
        await db.transaction(async (tx) => {
          for (const [batchHour, batch] of batches) {
            for (const [keyId, entry] of batch) await addUsage(tx, keyId, batchHour * hourMs, entry)
          }
          for (const [keyId, at] of used) await setLastUsed(tx, keyId, at)
        })
      } catch (error) {
        past.push(...batches)
        throw error
      }
      for (const [keyId, at] of used) lastWritten.set(keyId, at)
    },
  }
}
