import { renameSync, writeFileSync } from 'node:fs'
import { minuteMs } from '../../src/platform/lib/time.ts'

/** The clock of nodes that are separate processes (LEAP_FILE), which a test moves forward. */
export interface LeapingClock {
  readonly file: string
  leapt(): number
  leap(ms: number): void
  /** Lets the next minute begin, so that all of it is left. */
  startMinute(): void
}

export function leapingClock(file: string): LeapingClock {
  let leaptMs = 0
  const write = () => {
    // Renamed into place, so that no node reads half of it.
    writeFileSync(`${file}.new`, String(leaptMs))
    renameSync(`${file}.new`, file)
  }
  const leap = (ms: number) => {
    leaptMs += ms
    write()
  }
  write()
  return {
    file,
    leapt: () => leaptMs,
    leap,
    startMinute: () => leap(minuteMs - ((Date.now() + leaptMs) % minuteMs)),
  }
}
