import type { Database } from '../db/database.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { entryOf } from '../lib/entry-of.ts'
import { loadCounters, type StoredCounter, saveCounters } from './counters.ts'
import { type Admission, addressSubject, type Limiter, strikeMinutes } from './limiter.ts'
import { dayMs, hasRoom, type Limits, minuteMs, type Used, windowStart } from './windows.ts'

const addressesMax = 50_000

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

  since(start: number): number {
    let sum = this.start >= start ? this.count : 0
    for (const [other, count] of this.others) if (other >= start) sum += count
    return sum
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
  readonly minute = new Tally(strikeMinutes * minuteMs)
  readonly day = new Tally(dayMs)
  strikes = new Tally(strikeMinutes * minuteMs)
  changed = false
}

export interface LocalLimiter extends Limiter {
  admit(subject: string, limits: Limits, now: number): Admission
  used(subject: string, now: number): Used
  forgetStrikes(subject: string): void
  /** Goes on from counts that are known from elsewhere. */
  resume(subject: string, used: Used, now: number): void
}

/** The limiter of a single node: counters in memory, written to the database each second and at shutdown. */
export async function createLocalLimiter(db: Database | undefined, now: number): Promise<LocalLimiter> {
  const meters = new Map<string, Meter>()
  const addresses = new BoundedMap<string, Meter>(addressesMax)
  const homeOf = (subject: string) => (subject.startsWith(addressSubject('')) ? addresses : meters)

  function meterOf(subject: string): Meter {
    return entryOf<string, Meter>(homeOf(subject), subject, () => new Meter())
  }

  for (const { subject, period, starts_at, used } of db ? await loadCounters(db, now) : []) {
    meterOf(subject)[period].set(starts_at, used)
  }

  const usedBy = (meter: Meter, now: number): Used => ({
    minute: meter.minute.at(windowStart(now, minuteMs)),
    day: meter.day.at(windowStart(now, dayMs)),
  })

  return {
    admit(subject, limits, now) {
      const meter = meterOf(subject)
      const used = usedBy(meter, now)
      const minute = windowStart(now, minuteMs)
      if (hasRoom(used, limits)) {
        const counted = { minute: used.minute + 1, day: used.day + 1 }
        meter.minute.set(minute, counted.minute)
        meter.day.set(windowStart(now, dayMs), counted.day)
        meter.changed = true
        return { admitted: true, used: counted, strikes: 0 }
      }
      meter.strikes.set(minute, meter.strikes.at(minute) + 1)
      return { admitted: false, used, strikes: meter.strikes.since(minute - (strikeMinutes - 1) * minuteMs) }
    },

    used: (subject, now) => usedBy(meterOf(subject), now),

    resume(subject, used, now) {
      const meter = meterOf(subject)
      meter.minute.set(windowStart(now, minuteMs), used.minute)
      meter.day.set(windowStart(now, dayMs), used.day)
    },

    forgetStrikes(subject) {
      const meter = homeOf(subject).get(subject)
      if (meter) meter.strikes = new Tally(strikeMinutes * minuteMs)
    },

    async flush(now) {
      const changed: StoredCounter[] = []
      for (const [subject, meter] of meters) {
        const starts = { minute: windowStart(now, minuteMs), day: windowStart(now, dayMs) }
        const used = usedBy(meter, now)
        if (used.day === 0 && meter.strikes.since(starts.minute - strikeMinutes * minuteMs) === 0)
          meters.delete(subject)
        if (!meter.changed) continue
        meter.changed = false
        for (const period of ['minute', 'day'] as const) {
          changed.push({ subject, period, starts_at: starts[period], used: used[period] })
        }
      }
      if (db && changed.length > 0) await saveCounters(db, changed)
    },
  }
}
