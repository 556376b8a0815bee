import { type Clock, systemClock } from './clock.ts'

/** A reading of the database's clock. `sentAt` and `receivedAt` are times of the monotonic clock. */
export interface Reading {
  readonly at: number
  readonly sentAt: number
  readonly receivedAt: number
}

/** The database's time, shared by all nodes. */
export interface DatabaseClock extends Clock {
  /** Before the first reading the clock shows the machine's time. */
  hasFollowed(): boolean
  follow(reading: Reading): void
  /** How far the machine's clock is ahead; negative when behind. */
  machineAheadMs(): number
}

/**
 * Elapsed time plus an offset measured by reading the database's clock, so a machine with a wrong clock uses the same windows,
 * leases and expiry times as all others. If the database's clock is set, the rules of lib/clock.ts apply.
 */
export function databaseClock(machine = () => Date.now(), elapsed = () => performance.now()): DatabaseClock {
  let offsetMs: number | undefined
  let clock = systemClock(machine, elapsed)

  const databaseTime = () => Math.floor(elapsed() + (offsetMs ?? 0))

  return {
    now: () => clock.now(),
    // Take the earlier of the two clocks, so a single wrong one never makes data look old.
    settled: () => Math.min(clock.settled(), machine()),
    hasFollowed: () => offsetMs !== undefined,
    machineAheadMs: () => machine() - clock.now(),
    follow({ at, sentAt, receivedAt }) {
      if (offsetMs === undefined) {
        offsetMs = at - (sentAt + receivedAt) / 2
        clock = systemClock(databaseTime, elapsed, databaseTime())
        return
      }
      // The true offset lies between these bounds. Move only into them: a slow response has wide bounds and changes nothing.
      offsetMs = Math.min(Math.max(offsetMs, at - receivedAt), at - sentAt)
    },
  }
}
