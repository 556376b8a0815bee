import { dayMs } from '../lib/time.ts'
import type { StoredCounter } from './counters.ts'
import { createMeters, type Meter, type Rejection, type Tally, type Used, windowStart } from './limiter.ts'

/** Where a meter has the counts of each period, in the lock order of `petstore_admit`. */
const tallies: Readonly<Record<StoredCounter['period'], (meter: Meter) => Tally>> = {
  day: ({ day }) => day,
  minute: ({ minute }) => minute,
  day_rejected: ({ rejectedAt }) => rejectedAt.day,
  minute_rejected: ({ rejectedAt }) => rejectedAt.minute,
  day_graced: ({ graced }) => graced.day,
  minute_graced: ({ graced }) => graced.minute,
  strike: ({ strikes }) => strikes,
}
const periods = Object.keys(tallies) as StoredCounter['period'][]

/** What happened to requests of a subject in one minute and day. */
interface Counts {
  readonly subject: string
  readonly starts: Used
  readonly admitted: number
  readonly strikes: number
  /** The window that rejected requests, when it first did so, and how many of these it rejected without a strike. */
  readonly rejection?: Rejection | undefined
}

/** What this node has decided but the shared counters do not include yet. */
export function createUnreportedCounts() {
  let meters = createMeters()

  function change(subject: string, period: StoredCounter['period'], start: number, count: number): void {
    const meter = meters.of(subject)
    if (period === 'day_rejected') meter.noteRejection('day', start, count)
    else if (period === 'minute_rejected') meter.noteRejection('minute', start, count)
    else addTo(tallies[period](meter), start, count)
  }

  function addTo(tally: Tally, start: number, count: number): void {
    // Never below 0: when in doubt, count twice rather than not at all.
    tally.set(start, Math.max(0, tally.at(start) + count))
  }

  function add({ subject, starts, admitted, strikes, rejection }: Counts): void {
    change(subject, 'day', starts.day, admitted)
    change(subject, 'minute', starts.minute, admitted)
    change(subject, 'strike', starts.minute, strikes)
    if (!rejection) return
    const { window, firstAt, graced } = rejection
    change(subject, `${window}_rejected`, starts[window], firstAt)
    change(subject, `${window}_graced`, starts[window], graced)
  }

  return {
    add,
    /** Removes counts that the shared counters include after all. */
    subtract: (counts: Counts) => add({ ...counts, admitted: -counts.admitted, strikes: -counts.strikes }),
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
  const counters = periods.flatMap((period) =>
    [...tallies[period](meter).entries()].map(([starts_at, used]) => ({ subject, period, starts_at, used })),
  )
  // The sort is stable: a day's counter stays before those of its minutes.
  return counters.sort((a, b) => windowStart(a.starts_at, dayMs) - windowStart(b.starts_at, dayMs))
}
