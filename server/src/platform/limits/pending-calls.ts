import type { Limits } from '../lib/limits.ts'
import type { Group, GroupResult } from './batch.ts'
import { type Decision, startsOf, type Used } from './limiter.ts'

/** A call that waits for the shared counters: to be admitted, or only to read them. */
export interface PendingCall {
  readonly kind: 'admit' | 'read'
  readonly subject: string
  readonly limits: Limits
  readonly now: number
  /** How many requests it counts as. Either all of them are admitted or none. */
  readonly cost: number
  readonly settle: (decision: Decision) => void
}

const nothing: Used = { minute: 0, day: 0 }

export type CallGroup = Group & { readonly calls: PendingCall[] }

/** Groups calls with the same subject, windows, limits and cost: each group is one row of the statement. */
export function groupCalls(
  calls: readonly PendingCall[],
  known: (subject: string, now: number) => Used | undefined,
): CallGroup[] {
  const groups = new Map<string, CallGroup>()
  for (const call of calls) {
    const { subject, limits, now, cost, kind } = call
    const starts = startsOf(now)
    const name = `${subject} ${starts.minute} ${limits.perMinute} ${limits.perDay} ${cost}`
    const group = groups.get(name) ?? {
      subject,
      limits,
      ...starts,
      cost,
      requested: 0,
      arrivedFrom: now,
      arrivedTo: now,
      seen: known(subject, now) ?? nothing,
      calls: [],
    }
    groups.set(name, group)
    group.calls.push(call)
    group.arrivedTo = Math.max(group.arrivedTo, now)
    if (kind === 'admit') group.requested++
  }
  // Every node locks in the same order, so that batches cannot deadlock.
  return [...groups.values()].sort((a, b) =>
    a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.minute - b.minute,
  )
}

/** Concurrent batches. */
const batchesMax = 2

/** Gathers calls and sends those of one tick together. While `batchesMax` batches are running, calls gather for the next one. */
export function createGathering(send: (calls: PendingCall[]) => Promise<void>, isHeld: () => boolean) {
  let waiting: PendingCall[] = []
  let isScheduled = false
  let running = 0

  function takeAll(): PendingCall[] {
    const calls = waiting
    waiting = []
    return calls
  }

  function schedule(): void {
    if (isScheduled || isHeld() || running >= batchesMax || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const calls = takeAll()
      if (calls.length === 0) return
      running++
      void send(calls).finally(() => {
        running--
        schedule()
      })
    })
  }

  return {
    add(call: PendingCall): void {
      waiting.push(call)
      schedule()
    },
    takeAll,
    /** Must be called once calls are no longer held. */
    schedule,
  }
}

/** Settles the calls of a group: the first ones are admitted, and each sees the count after itself. Returns the final count. */
export function settleGroup({ calls, cost }: CallGroup, { before, admitted, strikes, newStrikes }: GroupResult): Used {
  const admissions = calls.filter((call) => call.kind === 'admit')
  const usedAfter = (count: number): Used => ({ minute: before.minute + count * cost, day: before.day + count * cost })
  const afterAll = usedAfter(admitted)
  for (const [index, call] of admissions.entries()) {
    const isAdmitted = index < admitted
    const used = isAdmitted ? usedAfter(index + 1) : afterAll
    const callsAfter = admissions.length - 1 - index
    const ownStrikes = strikes - Math.min(callsAfter, newStrikes)
    const isStrike = !isAdmitted && callsAfter < newStrikes
    call.settle({ admitted: isAdmitted, used, strikes: isAdmitted ? 0 : ownStrikes, isStrike })
  }
  for (const call of calls) if (call.kind === 'read') call.settle({ admitted: false, used: afterAll, strikes: 0 })
  return afterAll
}

/** How many requests of each subject are undecided. */
export class Undecided {
  private readonly requests = new Map<string, number>()

  of(subject: string): number {
    return this.requests.get(subject) ?? 0
  }

  /** Adds to the number; `requests` may be negative. */
  add(subject: string, requests: number): void {
    const sum = this.of(subject) + requests
    if (sum > 0) this.requests.set(subject, sum)
    else this.requests.delete(subject)
  }
}
