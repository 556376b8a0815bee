import type { StoredCounter } from './counters.ts'
import { createMeters, type Meter } from './meters.ts'
import { dayMs, type Used, windowStart } from './windows.ts'

const tallies = { day: 'day', minute: 'minute', strike: 'strikes' } as const

/** How many requests of a subject were admitted and refused in one minute and day. */
interface Counts {
  readonly subject: string
  readonly starts: Used
  readonly admitted: number
  readonly refused: number
}

/** What this node has decided and the shared counters do not include yet. */
export function createUnreportedCounts() {
  let meters = createMeters()

  function change(subject: string, period: StoredCounter['period'], start: number, count: number): void {
    const tally = meters.of(subject)[tallies[period]]
    // Never below 0: when in doubt, count twice rather than not at all.
    tally.set(start, Math.max(0, tally.at(start) + count))
  }

  function add({ subject, starts, admitted, refused }: Counts): void {
    change(subject, 'day', starts.day, admitted)
    change(subject, 'minute', starts.minute, admitted)
    change(subject, 'strike', starts.minute, refused)
  }

  return {
    add,
    /** Removes counts that the shared counters include after all. */
    subtract: (counts: Counts) => add({ ...counts, admitted: -counts.admitted, refused: -counts.refused }),
    forgetStrikes: (subject: string) => meters.find(subject)?.forgetStrikes(),
    /** Removes and returns all counts, in the lock order of `petstore_admit`: by subject, day first. */
    take(): StoredCounter[] {
      const taken = [...meters.all()].sort((a, b) => (a.subject < b.subject ? -1 : 1)).flatMap(countersOf)
      meters = createMeters()
      return taken
    },
    putBack(counters: readonly StoredCounter[]): void {
      for (const { subject, period, starts_at, used } of counters) change(subject, period, starts_at, used)
    },
  }
}

function countersOf(meter: Meter): StoredCounter[] {
  const { subject } = meter
  const counters = (Object.keys(tallies) as StoredCounter['period'][]).flatMap((period) =>
    [...meter[tallies[period]].entries()].map(([starts_at, used]) => ({ subject, period, starts_at, used })),
  )
  // The sort is stable: a day's counter stays before those of its minutes.
  return counters.sort((a, b) => windowStart(a.starts_at, dayMs) - windowStart(b.starts_at, dayMs))
}
