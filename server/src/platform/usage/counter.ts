import type { Database, Transaction } from '../db/database.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import { lastUsedStepMs, setLastUsed } from '../keys/store.ts'
import type { Clock } from '../lib/clock.ts'
import { runOneAtATime } from '../lib/concurrency.ts'
import { hourMs } from '../lib/time.ts'
import { windowStart } from '../limits/limiter.ts'

export interface Counts {
  allowed: number
  limited: number
  errors: number
  strikes: number
}

export const nothing = (): Counts => ({ allowed: 0, limited: 0, errors: 0, strikes: 0 })
const noKeys = () => new Map<number, Counts>()

/** Counts by the start of an hour or a day, and by key. */
export type UsageCounts = Map<number, Map<number, Counts>>

function countsOf(usage: UsageCounts, start: number, keyId: number): Counts {
  return usage.getOrInsertComputed(start, noKeys).getOrInsertComputed(keyId, nothing)
}

export function addTo(
  usage: UsageCounts,
  start: number,
  keyId: number,
  { allowed, limited, errors, strikes }: Counts,
): void {
  const sum = countsOf(usage, start, keyId)
  sum.allowed += allowed
  sum.limited += limited
  sum.errors += errors
  sum.strikes += strikes
}

function addCounts(to: UsageCounts, from: UsageCounts): void {
  for (const [start, byKey] of from) for (const [keyId, counts] of byKey) addTo(to, start, keyId, counts)
}

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
      // A failed request counts twice, as allowed and as an error; so does a strike, as limited and as a strike.
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

/** Appends a node's counts as new rows, so that no node waits for another. Reads add them to the sums. */
export async function appendUsage(tx: Transaction, hours: UsageCounts): Promise<void> {
  for (const batch of byHundreds(rowsOf(hours))) {
    await tx.query(
      `INSERT INTO usage_changes (key_id, starts_at, allowed, limited, errors, strikes) VALUES ${placeholders(batch.length, 6)}`,
      batch.flat(),
    )
  }
}

const sortByKey = <T>(map: ReadonlyMap<number, T>) => [...map].sort(([one], [other]) => one - other)

/** One row for each start and key. */
export const rowsOf = (usage: UsageCounts) =>
  sortByKey(usage).flatMap(([start, byKey]) =>
    sortByKey(byKey).map(([keyId, { allowed, limited, errors, strikes }]) => [
      keyId,
      start,
      allowed,
      limited,
      errors,
      strikes,
    ]),
  )
