import type { Database } from '../db/database.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { createAlone } from './alone.ts'
import { admitBatch, type Group, type GroupResult } from './batch.ts'
import { type Ask, groupCalls, handOut } from './calls.ts'
import type { Admission, Limiter } from './limiter.ts'
import { Undecided } from './undecided.ts'
import type { Limits } from './windows.ts'

/** How long the shared counters may take, in running time of this node, until it goes on alone. */
const patienceMs = 1_000
const askAgainMs = 20
/** Statements on their way at once; while they are, calls gather for the next. */
const batchesMax = 2

const anyLimits: Limits = { perMinute: 0, perDay: 0 }
/** Asks for nothing, by the same way as everything else: if this is answered, the rest will be. */
const nobody: Group = { subject: 'nobody', limits: anyLimits, minute: 0, day: 0, cost: 1, asked: 0 }

export interface SharedLimiter extends Limiter {
  readonly stats: () => {
    readonly batches: number
    readonly calls: number
    readonly waitMs: number
    /** How often this node has gone on alone, and how many requests it has admitted so. */
    readonly fallbacks: number
    readonly admittedAlone: number
    readonly isAlone: boolean
  }
}

/**
 * Counts in the database that all nodes share. Calls that come together go into one statement. When the database cannot be
 * reached for a second, this node decides alone; what it admitted is added to the shared counters before they decide again.
 */
export function createSharedLimiter(
  db: Database,
  changed: (isAlone: boolean, reason?: unknown) => void,
): SharedLimiter {
  const alone = createAlone()
  const counts = { batches: 0, calls: 0, waitMs: 0, fallbacks: 0 }
  let isAlone = false
  /** Calls wait, whatever comes: what this node decided alone is being added. */
  let gathering = false
  let waiting: Ask[] = []
  const undecided = new Undecided()
  let scheduled = false
  let underWay = 0
  /** Answers that were given up on and may yet come. */
  const late = new Set<Promise<void>>()
  let probe: Promise<unknown> | undefined

  function ask(call: Omit<Ask, 'settle'>): Awaitable<Admission> {
    if (isAlone && !gathering) return alone.decide(call)
    const { subject } = call
    const requests = call.wants === 'admission' ? call.cost : 0
    undecided.add(subject, requests)
    return new Promise((resolve) => {
      const settle = (admission: Admission) => {
        undecided.add(subject, -requests)
        resolve(admission)
      }
      waiting.push({ ...call, settle })
      sendSoon()
    })
  }

  function sendSoon(): void {
    if (scheduled || gathering || underWay >= batchesMax || waiting.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      underWay++
      void decideTogether(takeWaiting()).finally(() => {
        underWay--
        sendSoon()
      })
    })
  }

  function takeWaiting(): Ask[] {
    const calls = waiting
    waiting = []
    return calls
  }

  async function decideTogether(calls: Ask[]): Promise<void> {
    if (calls.length === 0) return
    const started = performance.now()
    const groups = groupCalls(calls)
    const asking = keepAsking(groups)
    try {
      const results = await withTimeout(patienceMs, asking.answer, asking.giveUp)
      for (const [index, group] of groups.entries()) {
        const used = handOut(group, results[index] as GroupResult)
        // Should this node have to go on alone, it goes on from here.
        alone.resume(group.subject, used, group.minute)
      }
    } catch (error) {
      goOnAlone(error, calls)
      const answered = asking.answer.then((results) => alone.cancel(groups, results)).catch(() => undefined)
      late.add(answered)
      void answered.then(() => late.delete(answered))
    }
    counts.batches++
    counts.calls += calls.length
    counts.waitMs += performance.now() - started
  }

  /** Asks again while asking fails, for a connection that was cut is replaced; until somebody gives up. */
  function keepAsking(groups: readonly Group[]) {
    let failure = new Error(`no answer within ${patienceMs} ms`)
    let givenUp = false
    async function ask(): Promise<GroupResult[]> {
      for (;;) {
        try {
          return await admitBatch(db, groups)
        } catch (error) {
          failure = error as Error
        }
        if (!givenUp) await new Promise((resolve) => setTimeout(resolve, askAgainMs))
        if (givenUp) throw failure
      }
    }
    const giveUp = () => {
      givenUp = true
      return failure
    }
    return { answer: ask(), giveUp }
  }

  function goOnAlone(reason: unknown, calls: readonly Ask[]): void {
    if (!isAlone) {
      counts.fallbacks++
      changed(true, reason)
    }
    isAlone = true
    gathering = false
    for (const call of [...calls, ...takeWaiting()]) call.settle(alone.decide(call))
  }

  /** Goes back to the shared counters, once they answer and know what was decided here. */
  async function comeBack(): Promise<void> {
    const inTime = <T>(answer: Promise<T>) => withTimeout(patienceMs, answer, () => new Error('still no answer'))
    probe ??= admitBatch(db, [nobody]).finally(() => {
      probe = undefined
    })
    await inTime(probe)
    // Statements given up on may have been counted all the same, and must not be added again.
    await inTime(Promise.all(late)).catch(() => undefined)
    await alone.pay(db, patienceMs)
    gathering = true
    await alone.pay(db, patienceMs)
    // A statement from before may have been given up on meanwhile.
    if (!gathering) return
    gathering = false
    isAlone = false
    changed(false)
    sendSoon()
  }

  async function flush(): Promise<void> {
    if (isAlone) await comeBack().catch((error: unknown) => goOnAlone(error, []))
  }

  return {
    stats: () => ({ ...counts, admittedAlone: alone.admitted(), isAlone }),
    admit: (subject, limits, now, cost = 1) => ask({ wants: 'admission', subject, limits, now, cost }),
    used: async (subject, now) => (await ask({ wants: 'look', subject, limits: anyLimits, now, cost: 1 })).used,
    known: alone.known,
    expected(subject, now) {
      const used = alone.known(subject, now)
      const more = undecided.of(subject)
      return used && { minute: used.minute + more, day: used.day + more }
    },
    async forgetStrikes(subject) {
      alone.forgetStrikes(subject)
      const statement = "DELETE FROM rate_counters WHERE subject = $1 AND period = 'strike'"
      // Strikes that cannot be deleted now count for nothing after ten minutes anyway.
      await Promise.resolve(db.query(statement, [subject])).catch(() => undefined)
    },
    flush,
    forgetIdle: alone.forgetIdle,
    close: flush,
  }
}
