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

export function countsOf(usage: UsageCounts, start: number, keyId: number): Counts {
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

export function addCounts(to: UsageCounts, from: UsageCounts): void {
  for (const [start, byKey] of from) for (const [keyId, counts] of byKey) addTo(to, start, keyId, counts)
}
