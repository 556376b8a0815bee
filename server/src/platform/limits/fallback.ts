import type { Queryable } from '../db/database.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { addToCounters, type Group, type GroupResult } from './batch.ts'
import { createMemoryLimiter, type Decision, type MemoryLimiter, startsOf } from './limiter.ts'
import type { PendingCall } from './pending-calls.ts'
import { createUnreportedCounts } from './unreported.ts'

/** Few enough that one statement is fast. */
const batchSize = 2_000

export interface Fallback extends Pick<MemoryLimiter, 'known' | 'resume' | 'forgetStrikes' | 'forgetIdle'> {
  /** How many requests this node has admitted on its own. */
  readonly admitted: () => number
  decide(call: Omit<PendingCall, 'settle'>): Decision
  /** Drops these groups from the unreported counts: the shared counters did count them. */
  cancel(groups: readonly Group[], results: readonly GroupResult[]): void
  /** Adds the unreported counts to the shared counters. Counts that could not be added stay unreported. */
  report(db: Queryable, patienceMs: number): Promise<void>
}

/** Decides on this node, based on what it last saw of the shared counters, and keeps the counts that they lack. */
export function createFallback(): Fallback {
  const memory = createMemoryLimiter()
  const unreported = createUnreportedCounts()
  let admitted = 0

  return {
    known: memory.known,
    resume: memory.resume,
    forgetIdle: memory.forgetIdle,
    admitted: () => admitted,

    forgetStrikes(subject) {
      memory.forgetStrikes(subject)
      unreported.forgetStrikes(subject)
    },

    decide({ kind, subject, limits, now, cost }) {
      if (kind === 'read') return { admitted: false, used: memory.used(subject, now), strikes: 0 }
      const decision = memory.admit(subject, limits, now, cost)
      const { rejection, isStrike } = decision
      const passed = rejection ? 0 : cost
      admitted += passed
      unreported.add({
        subject,
        starts: startsOf(now),
        admitted: passed,
        strikes: isStrike ? 1 : 0,
        rejection: rejection && { ...rejection, graced: isStrike ? 0 : 1 },
      })
      return decision
    },

    cancel(groups, results) {
      for (const [index, { subject, minute, day, cost }] of groups.entries()) {
        const { admitted, newStrikes } = results[index] as GroupResult
        unreported.subtract({
          subject,
          starts: { minute, day },
          admitted: admitted * cost,
          strikes: newStrikes,
        })
      }
    },

    async report(db, patienceMs) {
      const counters = unreported.take()
      try {
        while (counters.length > 0) {
          const adding = addToCounters(db, counters.slice(0, batchSize))
          await withTimeout(patienceMs, adding, () => new Error('the shared counters did not respond'))
          counters.splice(0, batchSize)
        }
      } catch (error) {
        unreported.putBack(counters)
        throw error
      }
    },
  }
}
