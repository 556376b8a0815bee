import { type Clock, systemClock } from './clock.ts'

/** A reading of the database's clock, taken between two moments of this process's running time. */
export interface Reading {
  readonly at: number
  readonly sentAt: number
  readonly receivedAt: number
}

/** The time of the database, which all nodes share. */
export interface DatabaseClock extends Clock {
  /** Whether it has followed a reading; until then it has only the machine's own time. */
  hasFollowed(): boolean
  follow(reading: Reading): void
  /** How far the machine's own clock is ahead of it; negative when behind. */
  machineAheadMs(): number
}

/**
 * Running time plus an offset that readings of the database's clock measure, so that a machine with a wrong clock works in the same
 * windows, leases and expiries as all others. The database's clock being set is treated as the machine's is (lib/clock.ts).
 */
export function databaseClock(machine = () => Date.now(), running = () => performance.now()): DatabaseClock {
  let offsetMs: number | undefined
  let clock = systemClock(machine, running)

  const databaseTime = () => Math.floor(running() + (offsetMs ?? 0))

  return {
    now: () => clock.now(),
    // Two opinions: what is old by a wrong clock alone, the database's or the machine's, is kept.
    settled: () => Math.min(clock.settled(), machine()),
    hasFollowed: () => offsetMs !== undefined,
    machineAheadMs: () => machine() - clock.now(),
    follow({ at, sentAt, receivedAt }) {
      if (offsetMs === undefined) {
        offsetMs = at - (sentAt + receivedAt) / 2
        clock = systemClock(databaseTime, running, databaseTime())
        return
      }
      // The true offset lies between these bounds. It moves no further than it must: a slow answer, which says little, changes nothing.
      offsetMs = Math.min(Math.max(offsetMs, at - receivedAt), at - sentAt)
    },
  }
}
