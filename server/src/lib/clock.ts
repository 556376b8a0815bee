export interface Clock {
  /** Milliseconds since the Unix epoch. Never goes back. */
  now(): number
}

// Wall time, but a step back of the machine's clock is not followed: from there on time goes on at the real rate.
// Windows and bans are reckoned by this clock, so a step back can neither reopen a spent window nor hold one shut.
export function systemClock(): Clock {
  let aheadMs = 0
  let last = 0
  return {
    now() {
      const wall = Date.now()
      if (wall + aheadMs < last) aheadMs = last - wall
      else if (wall >= last) aheadMs = 0
      last = wall + aheadMs
      return last
    },
  }
}
