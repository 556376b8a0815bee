import type { Database } from '../db/database.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Limits } from '../lib/limits.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { admitBatch, type Group, type GroupResult, keepAdmitting } from './batch.ts'
import { createFallback } from './fallback.ts'
import type { Decision, Limiter } from './limiter.ts'
import { createGathering, groupCalls, type PendingCall, settleGroup, Undecided } from './pending-calls.ts'

/**
 * Who decides, and what ends that:
 *
 * | State        | New calls                                  | Ends when                                                              |
 * | ------------ | ------------------------------------------ | ---------------------------------------------------------------------- |
 * | `shared`     | wait for a batch to the shared counters    | a batch gets no response for a second → `fallback`                     |
 * | `fallback`   | are decided by this node immediately       | a flush finds the counters back and reports most counts → `recovering` |
 * | `recovering` | wait while the last counts are reported    | they are reported → `shared`; a statement fails → `fallback`           |
 */
type State = 'shared' | 'fallback' | 'recovering'

/** How long the shared counters may take, in this node's running time, before it falls back to its own. */
const patienceMs = 1_000

const noLimits: Limits = { perMinute: 0, perDay: 0 }
/** Requests nothing, through the same routine as every batch: if this gets a response, so will batches. */
const probe: Group = {
  subject: 'probe',
  limits: noLimits,
  minute: 0,
  day: 0,
  cost: 1,
  requested: 0,
  arrivedFrom: 0,
  arrivedTo: 0,
  seen: { minute: 0, day: 0 },
}

export interface SharedLimiter extends Limiter {
  readonly stats: () => {
    readonly batches: number
    readonly calls: number
    readonly waitMs: number
    /** How often this node fell back to its own counters, and how many requests it has admitted by them. */
    readonly fallbacks: number
    readonly admittedInFallback: number
    readonly isInFallback: boolean
  }
}

/**
 * Counts in the database that all nodes share. Concurrent calls go into one statement. When the database does not respond for a second,
 * this node decides alone. Before it returns to the shared counters, it reports what it admitted.
 */
export function createSharedLimiter(
  db: Database,
  onChange: (isInFallback: boolean, reason?: unknown) => void,
): SharedLimiter {
  const fallback = createFallback()
  const counts = { batches: 0, calls: 0, waitMs: 0, fallbacks: 0 }
  const undecided = new Undecided()
  let state: State = 'shared'
  const gathering = createGathering(sendBatch, () => state === 'recovering')
  /** Batches that were given up on, and may still get a response. */
  const lateBatches = new Set<Promise<void>>()
  let runningProbe: Promise<unknown> | undefined

  function decide(call: Omit<PendingCall, 'settle'>): Awaitable<Decision> {
    if (state === 'fallback') return fallback.decide(call)
    const { subject } = call
    const requests = call.kind === 'admit' ? call.cost : 0
    undecided.add(subject, requests)
    return new Promise((resolve) => {
      const settle = (decision: Decision) => {
        undecided.add(subject, -requests)
        resolve(decision)
      }
      gathering.add({ ...call, settle })
    })
  }

  async function sendBatch(calls: PendingCall[]): Promise<void> {
    const startedAt = performance.now()
    const groups = groupCalls(calls, fallback.known)
    const batch = keepAdmitting(db, groups, patienceMs)
    try {
      const results = await withTimeout(patienceMs, batch.response, batch.giveUp)
      for (const [index, group] of groups.entries()) {
        const result = results[index] as GroupResult
        const used = settleGroup(group, result)
        // If this node has to fall back, it continues from these counts.
        fallback.resume(group.subject, used, group.minute, result.rejection)
      }
    } catch (error) {
      enterFallback(error, calls)
      const responded = batch.response.then((results) => fallback.cancel(groups, results)).catch(() => undefined)
      lateBatches.add(responded)
      void responded.then(() => lateBatches.delete(responded))
    }
    counts.batches++
    counts.calls += calls.length
    counts.waitMs += performance.now() - startedAt
  }

  function enterFallback(reason: unknown, calls: readonly PendingCall[]): void {
    if (state === 'shared') {
      counts.fallbacks++
      onChange(true, reason)
    }
    state = 'fallback'
    for (const call of [...calls, ...gathering.takeAll()]) call.settle(fallback.decide(call))
  }

  /** Returns to the shared counters once they respond and include what was decided here. */
  async function recover(): Promise<void> {
    const inTime = <T>(response: Promise<T>) => withTimeout(patienceMs, response, () => new Error('still no response'))
    runningProbe ??= admitBatch(db, [probe]).finally(() => {
      runningProbe = undefined
    })
    await inTime(runningProbe)
    // A batch that was given up on may have been counted after all, and must not be reported again.
    await inTime(Promise.all(lateBatches)).catch(() => undefined)
    await fallback.report(db, patienceMs)
    state = 'recovering'
    await fallback.report(db, patienceMs)
    // A batch that was sent earlier may have failed meanwhile.
    if (!isStill('recovering')) return
    state = 'shared'
    onChange(false)
    gathering.schedule()
  }

  // A function, because the compiler does not expect other callbacks to change the state during an `await`.
  const isStill = (expected: State): boolean => state === expected

  async function flush(): Promise<void> {
    if (state !== 'shared') await recover().catch((error: unknown) => enterFallback(error, []))
  }

  return {
    stats: () => ({ ...counts, admittedInFallback: fallback.admitted(), isInFallback: state !== 'shared' }),
    admit: (subject, limits, now, cost = 1) => decide({ kind: 'admit', subject, limits, now, cost }),
    used: async (subject, now) => (await decide({ kind: 'read', subject, limits: noLimits, now, cost: 1 })).used,
    known: fallback.known,
    expected(subject, now) {
      const used = fallback.known(subject, now)
      const more = undecided.of(subject)
      return used && { minute: used.minute + more, day: used.day + more }
    },
    async forgetStrikes(subject) {
      fallback.forgetStrikes(subject)
      const statement = "DELETE FROM rate_counters WHERE subject = $1 AND period = 'strike'"
      // If the strikes cannot be deleted, they expire within ten minutes anyway.
      await Promise.resolve(db.query(statement, [subject])).catch(() => undefined)
    },
    flush,
    forgetIdle: fallback.forgetIdle,
    close: flush,
  }
}
