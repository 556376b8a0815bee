import type { Database } from '../db/database.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { entryOf } from '../lib/entry-of.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { loadCounters, saveCounters } from './counters.ts'
import { type Admission, addressSubject, type Limiter, strikeMinutes } from './limiter.ts'
import { dayMs, hasRoom, type Limits, minuteMs, type Used, windowStart } from './windows.ts'

const addressesMax = 50_000
const keptMs = { minute: strikeMinutes * minuteMs, day: dayMs }

/** Counts of one kind of window. A window left behind is kept for a while: should the clock step back, it goes on. */
class Tally {
  private start = Number.NEGATIVE_INFINITY
  private count = 0
  private readonly others = new Map<number, number>()
  constructor(private readonly keptMs: number) {}

  at(start: number): number {
    if (start !== this.start) this.turnTo(start)
    return this.count
  }

  set(start: number, count: number): void {
    if (start !== this.start) this.turnTo(start)
    this.count = count
  }

  /** The sum of the windows from `first` to `last`. */
  between(first: number, last: number): number {
    let sum = this.at(last)
    for (const [other, count] of this.others) if (other >= first && other < last) sum += count
    return sum
  }

  isEmptyAt(start: number): boolean {
    return this.at(start) === 0 && this.others.size === 0
  }

  private turnTo(start: number): void {
    if (this.count > 0) this.others.set(this.start, this.count)
    this.start = start
    this.count = this.others.get(start) ?? 0
    this.others.delete(start)
    for (const other of this.others.keys()) if (other < start - this.keptMs) this.others.delete(other)
  }
}

class Meter {
  readonly minute = new Tally(keptMs.minute)
  readonly day = new Tally(keptMs.day)
  strikes = new Tally(keptMs.minute)
}

const startsOf = (now: number): Used => ({ minute: windowStart(now, minuteMs), day: windowStart(now, dayMs) })

export interface LocalLimiter extends Limiter {
  admit(subject: string, limits: Limits, now: number): Admission
  used(subject: string, now: number): Used
  forgetStrikes(subject: string): void
  /** Goes on from counts that are known from elsewhere. */
  resume(subject: string, used: Used, now: number): void
}

/** The limiter of a single node: counters in memory, written to the database each second and at shutdown. */
export async function createLocalLimiter(db: Database | undefined, now: number): Promise<LocalLimiter> {
  const keys = new Map<string, Meter>()
  // Anybody can come from a new address, so the addresses are bounded, and not worth a write to the database.
  const addresses = new BoundedMap<string, Meter>(addressesMax)
  const homeOf = (subject: string) => (subject.startsWith(addressSubject('')) ? addresses : keys)
  const meterOf = (subject: string) => entryOf<string, Meter>(homeOf(subject), subject, () => new Meter())
  const changed = new Set<string>()
  let sweptAt = startsOf(now).minute

  for (const { subject, period, starts_at, used } of db ? await loadCounters(db, now) : []) {
    meterOf(subject)[period].set(starts_at, used)
  }

  /** Drops the keys that have not called for so long that nothing of them is counted any more. */
  function forgetIdle({ minute, day }: Used): void {
    if (minute === sweptAt) return
    sweptAt = minute
    for (const [subject, meter] of keys) {
      const isIdle = [meter.minute, meter.strikes].every((tally) => tally.isEmptyAt(minute)) && meter.day.isEmptyAt(day)
      if (isIdle) keys.delete(subject)
    }
  }

  function used(subject: string, now: number): Used {
    const starts = startsOf(now)
    const meter = homeOf(subject).get(subject)
    return { minute: meter?.minute.at(starts.minute) ?? 0, day: meter?.day.at(starts.day) ?? 0 }
  }

  return {
    admit(subject, limits, now) {
      const starts = startsOf(now)
      const meter = meterOf(subject)
      const used = { minute: meter.minute.at(starts.minute), day: meter.day.at(starts.day) }
      if (hasRoom(used, limits)) {
        const counted = { minute: used.minute + 1, day: used.day + 1 }
        meter.minute.set(starts.minute, counted.minute)
        meter.day.set(starts.day, counted.day)
        if (homeOf(subject) === keys) changed.add(subject)
        return { admitted: true, used: counted, strikes: 0 }
      }
      meter.strikes.set(starts.minute, meter.strikes.at(starts.minute) + 1)
      const firstMinute = starts.minute - (strikeMinutes - 1) * minuteMs
      return { admitted: false, used, strikes: meter.strikes.between(firstMinute, starts.minute) }
    },

    used,

    known: (subject, now) => (homeOf(subject).get(subject) ? used(subject, now) : undefined),

    resume(subject, used, now) {
      const starts = startsOf(now)
      const meter = meterOf(subject)
      meter.minute.set(starts.minute, used.minute)
      meter.day.set(starts.day, used.day)
    },

    forgetStrikes(subject) {
      const meter = homeOf(subject).get(subject)
      if (meter) meter.strikes = new Tally(keptMs.minute)
    },

    flush: oneAtATime(async (now: number) => {
      const starts = startsOf(now)
      forgetIdle(starts)
      const subjects = [...changed]
      changed.clear()
      const counters = subjects.flatMap((subject) =>
        (['minute', 'day'] as const).map((period) => {
          const used = meterOf(subject)[period].at(starts[period])
          return { subject, period, starts_at: starts[period], used }
        }),
      )
      if (!db || counters.length === 0) return
      try {
        await saveCounters(db, counters)
      } catch (error) {
        for (const subject of subjects) changed.add(subject)
        throw error
      }
    }),
  }
}
