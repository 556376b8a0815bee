import { type Decision, type Limiter, strikeGraceMs } from './limiter.ts'
import { createMeters, type Meters, type Refusal, startsOf } from './meters.ts'
import { dayMs, fits, type Limits, minuteMs, refusingWindow, type Used, windowStart } from './windows.ts'

/** A refused call also says which window refused it. */
type MemoryDecision = Decision & { readonly refusal?: Refusal }

export interface MemoryLimiter extends Limiter {
  readonly meters: Meters
  admit(subject: string, limits: Limits, now: number, cost?: number): MemoryDecision
  used(subject: string, now: number): Used
  forgetStrikes(subject: string): void
  /** Continues from counts and refusals seen elsewhere, unless the counts here are higher. */
  resume(subject: string, used: Used, now: number, refusal?: Refusal): void
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
      const window = refusingWindow(meter.used(now), limits, cost)
      const start = startsOf(now)[window]
      const firstAt = meter.noteRefusal(window, start, now)
      const isStrike = now > firstAt + strikeGraceMs || !meter.takeGrace(window, start)
      if (isStrike) meter.addStrikes(minute, 1)
      const strikes = meter.strikesUntil(minute)
      const refusal = { window, firstAt, graced: meter.graced[window].at(start) }
      return { admitted: false, used: meter.used(now), strikes, isStrike, refusal }
    },

    used: (subject, now) => meters.find(subject)?.used(now) ?? { minute: 0, day: 0 },

    known,
    // No call is ever undecided.
    expected: known,

    resume(subject, used, now, refusal) {
      const meter = meters.of(subject)
      if (refusal) meter.resumeRefusals(refusal, startsOf(now)[refusal.window])
      const known = meter.used(now)
      meter.setUsed(now, { minute: Math.max(known.minute, used.minute), day: Math.max(known.day, used.day) })
    },

    forgetStrikes: (subject) => meters.find(subject)?.forgetStrikes(),

    forgetIdle: async (settled) => meters.forgetIdle(settled),
    flush: async () => undefined,
    close: async () => undefined,
  }
}
