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

export function addTo(counted: Counted, start: number, keyId: number, { allowed, limited, errors }: Counts): void {
  const sum = countsOf(counted, start, keyId)
  sum.allowed += allowed
  sum.limited += limited
  sum.errors += errors
}

export function addCounts(to: Counted, from: Counted): void {
  for (const [start, byKey] of from) for (const [keyId, counts] of byKey) addTo(to, start, keyId, counts)
}
