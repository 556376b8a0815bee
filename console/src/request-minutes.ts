import type { UsageEntry } from '@petstore/sdk'
import { signal } from '@preact/signals'

// The interface counts by the hour. Minutes are what the count has grown by from look to look, for as long as somebody looks.

export interface Counts {
  readonly allowed: number
  readonly limited: number
  readonly errors: number
}

const minuteMs = 60_000
const shownMinutes = 30
const nothing: Counts = { allowed: 0, limited: 0, errors: 0 }

const counted = signal<ReadonlyMap<number, Counts>>(new Map())
let before: UsageEntry | undefined

const add = (one: Counts, other: Counts, sign = 1): Counts => ({
  allowed: one.allowed + sign * other.allowed,
  limited: one.limited + sign * other.limited,
  errors: one.errors + sign * other.errors,
})

/** The sum of several keys, hour by hour. */
export function sumOf(keys: readonly (readonly UsageEntry[])[]): UsageEntry[] {
  const hours = new Map<string, UsageEntry>()
  for (const { from, ...counts } of keys.flat()) hours.set(from, { from, ...add(hours.get(from) ?? nothing, counts) })
  return [...hours.values()].sort((one, other) => one.from.localeCompare(other.from))
}

/** Takes note of the hours as they are now. */
export function noteHours(hours: readonly UsageEntry[]): void {
  const last = hours.at(-1)
  if (!last) return
  const known = before && hours.find(({ from }) => from === before?.from)
  if (before && known) {
    const grown = add(known === last ? last : add(known, last), before, -1)
    const at = Math.floor(Date.now() / minuteMs) * minuteMs
    counted.value = new Map([...counted.value, [at, add(counted.value.get(at) ?? nothing, grown)]])
  }
  before = last
}

/** The last half hour; minutes in which nobody looked have nothing. */
export function lastMinutes(): { times: number[]; counts: Counts[] } {
  const now = Math.floor(Date.now() / minuteMs) * minuteMs
  const times = Array.from({ length: shownMinutes }, (_, index) => now - (shownMinutes - 1 - index) * minuteMs)
  return { times, counts: times.map((at) => counted.value.get(at) ?? nothing) }
}
