export interface Clock {
  /** Milliseconds since the Unix epoch. Goes back only when the machine's clock is set back by a second or more. */
  now(): number
  /** The time without leaps forward that have not lasted yet. What is forgotten by it is not wanted when a leap is undone. */
  settled(): number
}

/** A difference from the passing of time that is no drift: somebody has set the machine's clock. */
const leapMs = 1_000
/** How long a leap forward must last, in running time, until it is believed for good. */
const lastsMs = 10 * 60_000

/**
 * The machine's time. Set back a little, it stands still until the machine has caught up, which takes less than a second; set
 * back further, it follows. Counters, bans and stored answers of the time left behind are kept, so both ways nothing is lost.
 */
export function systemClock(wall = () => Date.now(), running = () => performance.now(), believed = 0): Clock {
  let told = believed
  let toldAt = running()
  // Unless a time is believed from the start, the first reading is a leap: right after a boot the machine's clock is often wrong.
  let leaptMs = 0
  let leaptAt = 0

  function now(): number {
    const at = running()
    const time = wall()
    const offMs = time - told - (at - toldAt)
    if (at - leaptAt >= lastsMs) leaptMs = 0
    if (offMs >= leapMs) {
      leaptMs += offMs
      leaptAt = at
    } else if (offMs <= -leapMs) {
      leaptMs = Math.max(0, leaptMs + offMs)
      told = time
    }
    told = Math.max(told, time)
    toldAt = at
    return told
  }

  return { now, settled: () => Math.floor(now() - leaptMs) }
}
