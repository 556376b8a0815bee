import type { Database } from '../db/database.ts'
import { createTimeReader } from '../db/postgres-time.ts'
import type { DatabaseClock } from '../lib/database-clock.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** A machine's clock that differs by more than this is reported. */
const offMsMax = 1_000
/** The report ends when the difference is below this, so that a clock near the limit is not reported repeatedly. */
const agreesMsMax = 500

interface Dependencies {
  readonly clock: DatabaseClock
  readonly db: Database
  readonly log: Log
  readonly metrics: Metrics
  readonly onServerChange: () => void
}

/**
 * Synchronizes the clock with the database's on each `read`, and reports a machine whose own clock is wrong: the service tolerates
 * that, but other programs on the machine may not.
 */
export function followDatabase({ clock, db, log, metrics, onServerChange }: Dependencies) {
  let isOff = false
  const readTime = createTimeReader(db.aside, clock, (leadMs) => {
    log.write('warn', 'another database server has taken over', { timeAheadOfItsClockMs: leadMs })
    onServerChange()
  })

  metrics.add({
    name: 'petstore_clock_offset_seconds',
    help: "How far this machine's clock is ahead of the database's; negative when behind.",
    kind: 'gauge',
    read: () => clock.machineAheadMs() / 1000,
  })

  return {
    async read(): Promise<void> {
      await readTime()
      const aheadMs = clock.machineAheadMs()
      const wasOff = isOff
      isOff = Math.abs(aheadMs) > (wasOff ? agreesMsMax : offMsMax)
      if (isOff && !wasOff) log.write('warn', "this machine's clock differs from the database's", { aheadMs })
      if (wasOff && !isOff) log.write('warn', "this machine's clock agrees with the database's again")
    },
    /** For /readyz. */
    detail: () => (isOff ? { clock: 'off', clockAheadSeconds: clock.machineAheadMs() / 1000 } : { clock: 'ok' }),
  }
}
