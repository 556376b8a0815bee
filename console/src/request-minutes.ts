import type { UsageEntry } from '@petstore/sdk'
import { signal } from '@preact/signals'

// The API counts by the hour. Minutes are the growth of the count between two requests, while the page is open.

export interface Counts {
  readonly allowed: number
  readonly limited: number
  readonly errors: number
}

const minuteMs = 60_000
const shownMinutes = 30
const zero: Counts = { allowed: 0, limited: 0, errors: 0 }

const countsByMinute = signal<ReadonlyMap<number, Counts>>(new Map())
let before: UsageEntry | undefined

const add = (one: Counts, other: Counts, sign = 1): Counts => ({
  allowed: one.allowed + sign * other.allowed,
  limited: one.limited + sign * other.limited,
  errors: one.errors + sign * other.errors,
})

/** Sums the usage of several keys by hour. */
export function sumUsage(keys: readonly (readonly UsageEntry[])[]): UsageEntry[] {
  const hours = new Map<string, UsageEntry>()
  for (const { from, ...counts } of keys.flat()) hours.set(from, { from, ...add(hours.get(from) ?? zero, counts) })
  return [...hours.values()].sort((one, other) => one.from.localeCompare(other.from))
}

/** Records the current hourly counts. */
export function recordHours(hours: readonly UsageEntry[]): void {
  const last = hours.at(-1)
  if (!last) return
  const known = before && hours.find(({ from }) => from === before?.from)
  if (before && known) {
    const grown = add(known === last ? last : add(known, last), before, -1)
    const at = Math.floor(Date.now() / minuteMs) * minuteMs
    countsByMinute.value = new Map([...countsByMinute.value, [at, add(countsByMinute.value.get(at) ?? zero, grown)]])
  }
  before = last
}

/** The last half hour; minutes in which the page was closed are zero. */
export function lastMinutes(): { times: number[]; counts: Counts[] } {
  const now = Math.floor(Date.now() / minuteMs) * minuteMs
  const times = Array.from({ length: shownMinutes }, (_, index) => now - (shownMinutes - 1 - index) * minuteMs)
  return { times, counts: times.map((at) => countsByMinute.value.get(at) ?? zero) }
}
