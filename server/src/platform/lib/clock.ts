export interface Clock {
  /** Milliseconds since the Unix epoch. Goes backwards only when the machine's clock is set back by a second or more. */
  now(): number
  /** The time without recent forward jumps. Use it to delete old data: if a jump is undone, nothing was deleted too early. */
  settled(): number
}

/** A larger difference from elapsed time is not drift: the machine's clock was set. */
const jumpMs = 1_000
/** A forward jump counts as real after this much elapsed time. */
const settleMs = 10 * 60_000

/**
 * The machine's clock. Set back by less than a second, it stands still until the machine catches up; set back further, it follows.
 * Counters, bans and stored responses dated in the future are kept, so nothing is lost either way.
 */
export function systemClock(wall = () => Date.now(), elapsed = () => performance.now(), trusted = 0): Clock {
  let time = trusted
  let readAt = elapsed()
  // Without a trusted start time, the first reading is a jump: a machine's clock is often wrong right after boot.
  let jumpedMs = 0
  let jumpedAt = 0

  function now(): number {
    const at = elapsed()
    const wallTime = wall()
    const differenceMs = wallTime - time - (at - readAt)
    if (at - jumpedAt >= settleMs) jumpedMs = 0
    if (differenceMs >= jumpMs) {
      jumpedMs += differenceMs
      jumpedAt = at
    } else if (differenceMs <= -jumpMs) {
      jumpedMs = Math.max(0, jumpedMs + differenceMs)
      time = wallTime
    }
    time = Math.max(time, wallTime)
    readAt = at
    return time
  }

  return { now, settled: () => Math.floor(now() - jumpedMs) }
}
