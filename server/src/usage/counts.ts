import { entryOf } from '../lib/entry-of.ts'

export interface Counts {
  allowed: number
  limited: number
  errors: number
}

/** Counts by the start of an hour or a day, and by key. */
export type Counted = Map<number, Map<number, Counts>>

export function countsOf(counted: Counted, start: number, keyId: number): Counts {
  const byKey = entryOf(counted, start, () => new Map<number, Counts>())
  return entryOf(byKey, keyId, () => ({ allowed: 0, limited: 0, errors: 0 }))
}

/** Adds counts to others; `startOf` says to which hour or day those of an hour belong. */
export function addCounts(to: Counted, from: Counted, startOf: (hour: number) => number): void {
  for (const [hour, byKey] of from) {
    for (const [keyId, { allowed, limited, errors }] of byKey) {
      const sum = countsOf(to, startOf(hour), keyId)
      sum.allowed += allowed
      sum.limited += limited
      sum.errors += errors
    }
  }
}
