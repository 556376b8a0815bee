import type { Decision, Limiter } from './limiter.ts'
import { createMeters, type Meters } from './meters.ts'
import { dayMs, fits, type Limits, minuteMs, type Used, windowStart } from './windows.ts'

export interface MemoryLimiter extends Limiter {
  readonly meters: Meters
  admit(subject: string, limits: Limits, now: number, cost?: number): Decision
  used(subject: string, now: number): Used
  forgetStrikes(subject: string): void
  /** Continues from counts seen elsewhere, unless the counts here are higher. */
  resume(subject: string, used: Used, now: number): void
}

/** Counts in memory only. */
export function createMemoryLimiter(): MemoryLimiter {
  const meters = createMeters()
  const known = (subject: string, now: number) => meters.find(subject)?.used(now)

  return {
    meters,

    admit(subject, limits, now, cost = 1) {
      const meter = meters.of(subject)
      const minute = windowStart(now, minuteMs)
      const day = windowStart(now, dayMs)
      const used = { minute: meter.minute.at(minute) + cost, day: meter.day.at(day) + cost }
      if (fits(used, limits)) {
        meter.minute.set(minute, used.minute)
        meter.day.set(day, used.day)
        return { admitted: true, used, strikes: 0 }
      }
      meter.addStrikes(minute, 1)
      return { admitted: false, used: meter.used(now), strikes: meter.strikesUntil(minute) }
    },

    used: (subject, now) => meters.find(subject)?.used(now) ?? { minute: 0, day: 0 },

    known,
    // No call is ever undecided.
    expected: known,

    resume(subject, used, now) {
      const meter = meters.of(subject)
      const known = meter.used(now)
      meter.setUsed(now, { minute: Math.max(known.minute, used.minute), day: Math.max(known.day, used.day) })
    },

    forgetStrikes: (subject) => meters.find(subject)?.forgetStrikes(),

    forgetIdle: async (settled) => meters.forgetIdle(settled),
    flush: async () => undefined,
    close: async () => undefined,
  }
}
