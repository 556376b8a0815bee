import { BoundedMap } from '../lib/bounded-map.ts'
import { entryOf } from '../lib/entry-of.ts'
import { isAddress, strikeMinutes } from './limiter.ts'
import { Tally } from './tally.ts'
import { dayMs, minuteMs, type Used, windowStart } from './windows.ts'

const addressesMax = 50_000
const minutesKept = strikeMinutes + 5
const daysKept = 3
const idleMs = 2 * dayMs

/** What is counted of one subject. */
export class Meter {
  readonly minute = new Tally(minutesKept)
  readonly day = new Tally(daysKept)
  strikes = new Tally(minutesKept)
  constructor(readonly subject: string) {}

  used({ minute, day }: Used): Used {
    return { minute: this.minute.at(minute), day: this.day.at(day) }
  }

  setUsed(starts: Used, used: Used): void {
    this.minute.set(starts.minute, used.minute)
    this.day.set(starts.day, used.day)
  }

  addStrikes(minute: number, count: number): void {
    this.strikes.set(minute, this.strikes.at(minute) + count)
  }

  /** Strikes of the last ten minutes, of which `minute` is the last. */
  strikesUntil(minute: number): number {
    return this.strikes.between(minute - (strikeMinutes - 1) * minuteMs, minute)
  }

  forgetStrikes(): void {
    this.strikes = new Tally(minutesKept)
  }
}

export const startsOf = (now: number): Used => ({ minute: windowStart(now, minuteMs), day: windowStart(now, dayMs) })

export interface Meters {
  /** The meter of a subject, where there is one. */
  find(subject: string): Meter | undefined
  of(subject: string): Meter
  all(): Iterable<Meter>
  /** Drops the meters of subjects that have not been counted for two days. */
  forgetIdle(settled: number): void
}

/** Meters by subject. Anybody can come from a new address, so those of addresses are bounded in number. */
export function createMeters(): Meters {
  const keys = new Map<string, Meter>()
  const addresses = new BoundedMap<string, Meter>(addressesMax)
  const homeOf = (subject: string) => (isAddress(subject) ? addresses : keys)

  return {
    find: (subject) => homeOf(subject).get(subject),
    of: (subject) => entryOf<string, Meter>(homeOf(subject), subject, () => new Meter(subject)),
    *all() {
      yield* keys.values()
      yield* addresses.values()
    },
    forgetIdle(settled) {
      const isIdle = ({ minute, strikes }: Meter) => Math.max(minute.last, strikes.last) <= settled - idleMs
      for (const [subject, meter] of keys) if (isIdle(meter)) keys.delete(subject)
    },
  }
}
