import type { StoredCounter } from './counters.ts'
import { createMeters, type Meter } from './meters.ts'
import { dayMs, type Used, windowStart } from './windows.ts'

const tallies = { day: 'day', minute: 'minute', strike: 'strikes' } as const

/** How many requests of a subject were admitted and refused in a pair of windows. */
export interface Decided {
  readonly subject: string
  readonly starts: Used
  readonly admitted: number
  readonly refused: number
}

/** What a node has decided alone, until the shared counters know of it. */
export function createOwed() {
  let meters = createMeters()

  function add(subject: string, period: StoredCounter['period'], start: number, count: number): void {
    const tally = meters.of(subject)[tallies[period]]
    // Never below nothing: what is in doubt counts twice rather than not at all.
    tally.set(start, Math.max(0, tally.at(start) + count))
  }

  function note({ subject, starts, admitted, refused }: Decided): void {
    add(subject, 'day', starts.day, admitted)
    add(subject, 'minute', starts.minute, admitted)
    add(subject, 'strike', starts.minute, refused)
  }

  return {
    note,
    /** Takes back what the shared counters know after all. */
    cancel: (decided: Decided) => note({ ...decided, admitted: -decided.admitted, refused: -decided.refused }),
    forgetStrikes: (subject: string) => meters.find(subject)?.forgetStrikes(),
    /** Hands it all over, in the order in which the routine in the database locks: by subject, and the day first. */
    take(): StoredCounter[] {
      const taken = [...meters.all()].sort((a, b) => (a.subject < b.subject ? -1 : 1)).flatMap(countersOf)
      meters = createMeters()
      return taken
    },
    putBack(counters: readonly StoredCounter[]): void {
      for (const { subject, period, starts_at, used } of counters) add(subject, period, starts_at, used)
    },
  }
}

function countersOf(meter: Meter): StoredCounter[] {
  const { subject } = meter
  const counters = (Object.keys(tallies) as StoredCounter['period'][]).flatMap((period) =>
    [...meter[tallies[period]].entries()].map(([starts_at, used]) => ({ subject, period, starts_at, used })),
  )
  // Stable: within a day its own counter stays before those of its minutes.
  return counters.sort((a, b) => windowStart(a.starts_at, dayMs) - windowStart(b.starts_at, dayMs))
}
