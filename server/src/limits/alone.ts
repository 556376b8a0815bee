import type { Queryable } from '../db/database.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { addToCounters, type Group, type GroupResult } from './batch.ts'
import type { Ask } from './calls.ts'
import type { Admission } from './limiter.ts'
import { createMemoryLimiter, type MemoryLimiter } from './memory.ts'
import { startsOf } from './meters.ts'
import { createOwed } from './owed.ts'

/** So few that they are added in a moment. */
const countersAtOnce = 2_000

export interface Alone extends Pick<MemoryLimiter, 'known' | 'resume' | 'forgetStrikes' | 'forgetIdle'> {
  /** Requests admitted by this node alone. */
  readonly admitted: () => number
  decide(call: Omit<Ask, 'settle'>): Admission
  /** The shared counters have decided these groups after all, and counted them. */
  cancel(groups: readonly Group[], results: readonly GroupResult[]): void
  /** Adds what this node decided alone to the shared counters. What fails stays to be paid. */
  pay(db: Queryable, patienceMs: number): Promise<void>
}

/** Decides on this node alone, going on from what it last saw of the shared counters, and keeps what they do not know. */
export function createAlone(): Alone {
  const own = createMemoryLimiter()
  const owed = createOwed()
  let admitted = 0

  return {
    known: own.known,
    resume: own.resume,
    forgetIdle: own.forgetIdle,
    admitted: () => admitted,

    forgetStrikes(subject) {
      own.forgetStrikes(subject)
      owed.forgetStrikes(subject)
    },

    decide({ wants, subject, limits, now, cost }) {
      if (wants === 'look') return { admitted: false, used: own.used(subject, now), strikes: 0 }
      const admission = own.admit(subject, limits, now, cost)
      const [passed, refused] = admission.admitted ? [cost, 0] : [0, 1]
      admitted += passed
      owed.note({ subject, starts: startsOf(now), admitted: passed, refused })
      return admission
    },

    cancel(groups, results) {
      for (const [index, { subject, minute, day, asked, cost }] of groups.entries()) {
        const { admitted } = results[index] as GroupResult
        owed.cancel({ subject, starts: { minute, day }, admitted: admitted * cost, refused: asked - admitted })
      }
    },

    async pay(db, patienceMs) {
      const counters = owed.take()
      try {
        while (counters.length > 0) {
          const adding = addToCounters(db, counters.slice(0, countersAtOnce))
          await withTimeout(patienceMs, adding, () => new Error('the counters could not be added to'))
          counters.splice(0, countersAtOnce)
        }
      } catch (error) {
        owed.putBack(counters)
        throw error
      }
    },
  }
}
