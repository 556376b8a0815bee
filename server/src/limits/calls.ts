import type { Group, GroupResult } from './batch.ts'
import type { Decision } from './limiter.ts'
import { startsOf } from './meters.ts'
import type { Limits, Used } from './windows.ts'

/** A request that waits for its decision, or somebody who only looks. */
export interface Ask {
  readonly wants: 'admission' | 'look'
  readonly subject: string
  readonly limits: Limits
  readonly now: number
  /** How many requests it counts as, all or none. */
  readonly cost: number
  readonly settle: (admission: Decision) => void
}

export type CallGroup = Group & { readonly calls: Ask[] }

/** Calls of the same cost for the same subject, windows and limits are one line of the statement. */
export function groupCalls(calls: readonly Ask[]): CallGroup[] {
  const groups = new Map<string, CallGroup>()
  for (const call of calls) {
    const { subject, limits, now, cost, wants } = call
    const starts = startsOf(now)
    const name = `${subject} ${starts.minute} ${limits.perMinute} ${limits.perDay} ${cost}`
    const group = groups.get(name) ?? { subject, limits, ...starts, cost, asked: 0, calls: [] }
    groups.set(name, group)
    group.calls.push(call)
    if (wants === 'admission') group.asked++
  }
  // Every node locks in the same order, so that batches wait for each other but never in a circle.
  return [...groups.values()].sort((a, b) =>
    a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.minute - b.minute,
  )
}

/** The first calls of a group are those admitted; each sees the count as it was after itself. What the windows have admitted. */
export function handOut({ calls, cost }: CallGroup, { before, admitted, strikes }: GroupResult): Used {
  const asking = calls.filter((call) => call.wants === 'admission')
  const usedBy = (count: number): Used => ({ minute: before.minute + count * cost, day: before.day + count * cost })
  const after = usedBy(admitted)
  for (const [index, call] of asking.entries()) {
    const passes = index < admitted
    const used = passes ? usedBy(index + 1) : after
    call.settle({ admitted: passes, used, strikes: passes ? 0 : strikes - (asking.length - 1 - index) })
  }
  for (const call of calls) if (call.wants === 'look') call.settle({ admitted: false, used: after, strikes: 0 })
  return after
}
