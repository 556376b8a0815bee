import type { Database } from '../db/database.ts'
import { every } from '../lib/every.ts'
import { within } from '../lib/within.ts'
import { admitBatch, type Group, type GroupResult } from './batch.ts'
import type { Admission, Limiter } from './limiter.ts'
import type { LocalLimiter } from './local.ts'
import { dayMs, type Limits, minuteMs, type Used, windowStart } from './windows.ts'

const answerTimeoutMs = 250
const probeEveryMs = 500
/** Statements on their way at once; while they are, calls gather for the next. */
const batchesMax = 2

interface Call {
  readonly wants: 'admission' | 'look'
  readonly subject: string
  readonly limits: Limits
  readonly now: number
  readonly settle: (admission: Admission) => void
}

export interface SharedLimiter extends Limiter {
  readonly stats: { batches: number; calls: number; waitMs: number; degraded: boolean }
  stop(): Promise<void>
}

const anyLimits: Limits = { perMinute: 0, perDay: 0 }
/** Asks for nothing, by the same way as everything else: if this is answered, the rest will be. */
const nobody: Group = { subject: 'nobody', limits: anyLimits, minute: 0, day: 0, asked: 0 }

const inTime = <T>(answer: Promise<T>): Promise<T> =>
  within(answerTimeoutMs, answer, () => new Error(`no answer within ${answerTimeoutMs} ms`))

/**
 * Counts in the database that all nodes share. Calls that come together go into one statement. When the database does
 * not answer in time, `own` decides on this node alone until it does again.
 */
export function createSharedLimiter(
  db: Database,
  own: LocalLimiter,
  changed: (degraded: boolean, reason?: unknown) => void,
): SharedLimiter {
  const stats = { batches: 0, calls: 0, waitMs: 0, degraded: false }
  let waiting: Call[] = []
  let underWay = 0
  let scheduled = false

  function setDegraded(degraded: boolean, reason?: unknown): void {
    if (degraded === stats.degraded) return
    stats.degraded = degraded
    changed(degraded, reason)
  }

  // A node that had to go on alone asks every now and then whether the shared counters are back.
  const probe = every(
    probeEveryMs,
    async () => {
      if (!stats.degraded) return
      await inTime(admitBatch(db, [nobody]))
      setDegraded(false)
    },
    () => undefined,
  )

  function ask(call: Omit<Call, 'settle'>): Promise<Admission> {
    if (stats.degraded) return Promise.resolve(decideAlone(call))
    return new Promise((settle) => {
      waiting.push({ ...call, settle })
      if (scheduled || underWay >= batchesMax) return
      scheduled = true
      setImmediate(send)
    })
  }

  function send(): void {
    scheduled = false
    const calls = waiting
    waiting = []
    if (calls.length === 0) return
    underWay++
    void decideTogether(calls).finally(() => {
      underWay--
      if (waiting.length > 0 && !scheduled) {
        scheduled = true
        setImmediate(send)
      }
    })
  }

  async function decideTogether(calls: Call[]): Promise<void> {
    const groups = groupCalls(calls)
    const started = performance.now()
    try {
      const results = await inTime(admitBatch(db, groups))
      for (const [index, group] of groups.entries()) handOut(group.calls, results[index] as GroupResult)
    } catch (error) {
      setDegraded(true, error)
      for (const call of calls) call.settle(decideAlone(call))
    }
    stats.batches++
    stats.calls += calls.length
    stats.waitMs += performance.now() - started
  }

  function decideAlone({ wants, subject, limits, now }: Omit<Call, 'settle'>): Admission {
    if (wants === 'admission') return own.admit(subject, limits, now)
    return { admitted: false, used: own.used(subject, now), strikes: 0 }
  }

  /** The first calls of a group are those admitted; each sees the count as it was after itself. */
  function handOut(calls: Call[], { before, admitted, strikes }: GroupResult): void {
    const asking = calls.filter((call) => call.wants === 'admission')
    const after: Used = { minute: before.minute + admitted, day: before.day + admitted }
    for (const [index, call] of asking.entries()) {
      const passes = index < admitted
      const used = passes ? { minute: before.minute + index + 1, day: before.day + index + 1 } : after
      call.settle({ admitted: passes, used, strikes: passes ? 0 : strikes - (asking.length - 1 - index) })
    }
    for (const call of calls) if (call.wants === 'look') call.settle({ admitted: false, used: after, strikes: 0 })
    // Should this node have to go on alone, it goes on from here.
    const [call] = calls
    if (call) own.resume(call.subject, after, call.now)
  }

  return {
    stats,
    admit: (subject, limits, now) => ask({ wants: 'admission', subject, limits, now }),
    used: async (subject, now) => (await ask({ wants: 'look', subject, limits: anyLimits, now })).used,
    known: own.known,
    async forgetStrikes(subject) {
      own.forgetStrikes(subject)
      const statement = "DELETE FROM rate_counters WHERE subject = $1 AND period = 'strike'"
      // Strikes that cannot be deleted now count for nothing after ten minutes anyway.
      await db.query(statement, [subject]).catch(() => undefined)
    },
    flush: (now) => own.flush(now),
    stop: () => probe.stop(),
  }
}

/** Calls for the same subject, windows and limits are one line of the statement. */
function groupCalls(calls: Call[]): (Group & { calls: Call[] })[] {
  const groups = new Map<string, Group & { calls: Call[] }>()
  for (const call of calls) {
    const { subject, limits, now, wants } = call
    const minute = windowStart(now, minuteMs)
    const name = `${subject} ${minute} ${limits.perMinute} ${limits.perDay}`
    const group = groups.get(name) ?? { subject, limits, minute, day: windowStart(now, dayMs), asked: 0, calls: [] }
    groups.set(name, group)
    group.calls.push(call)
    if (wants === 'admission') group.asked++
  }
  // Every node locks in the same order, so that batches wait for each other but never in a circle.
  return [...groups.values()].sort((a, b) =>
    a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.minute - b.minute,
  )
}
