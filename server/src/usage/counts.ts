import { entryOf } from '../lib/entry-of.ts'

export interface Counts {
  allowed: number
  limited: number
  errors: number
}

const nothing = (): Counts => ({ allowed: 0, limited: 0, errors: 0 })
const noKeys = () => new Map<number, Counts>()

/** Counts by the start of an hour or a day, and by key. */
export type Counted = Map<number, Map<number, Counts>>

export function countsOf(counted: Counted, start: number, keyId: number): Counts {
  return entryOf(entryOf(counted, start, noKeys), keyId, nothing)
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
