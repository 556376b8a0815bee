/** Nobody waits longer than this for the database; who would have to is told at once. */
export const waitMsMax = 2_000

/** How many of the last ones taken decide how long one takes. */
const sampled = 32
/** How long what was measured is good for when nobody has to wait. */
const measuredForMs = 10_000

export interface Line<T> {
  readonly length: number
  /** Whether one more would be reached in time. */
  hasRoom(): boolean
  /** Lets it wait, or says at once that there is no room. */
  join(one: T): boolean
  /** The one that has waited longest and is not too late. */
  take(): T | undefined
  /** Empties the line. */
  dissolve(): T[]
}

/**
 * First come, first served. The line measures how long one takes while others wait, and so knows how many it has time for;
 * until it was measured, `assumedMs`. `tooLate` is told of those that were let in and not reached in time.
 */
export function createLine<T>(
  assumedMs: number,
  tooLate: (one: T) => void,
  now: () => number = () => performance.now(),
): Line<T> {
  const waiting = new Map<T, number>()
  /** When one was last taken, or came to an empty line. */
  let movedAt = Number.NEGATIVE_INFINITY
  let eachMs = assumedMs
  let isMoving = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** A gap that lasts counts as if it ended now: a line that stands still has no room for long. */
  const paceMs = () => Math.max(eachMs, eachMs + (now() - movedAt - eachMs) / sampled)
  const hasRoom = () => waiting.size === 0 || waiting.size * paceMs() < waitMsMax

  // Who has waited longest is in front, so one timer does for all.
  function watch(): void {
    clearTimeout(timer)
    const [first] = waiting.values()
    if (first !== undefined) timer = setTimeout(sendLateAway, Math.max(0, first + waitMsMax - now()))
  }

  function sendLateAway(): void {
    for (const [one, joinedAt] of waiting) {
      if (now() - joinedAt < waitMsMax) break
      waiting.delete(one)
      tooLate(one)
    }
    watch()
  }

  return {
    get length() {
      return waiting.size
    },
    hasRoom,
    join(one) {
      if (!hasRoom()) return false
      if (waiting.size === 0) {
        if (now() - movedAt > measuredForMs) eachMs = assumedMs
        movedAt = now()
        isMoving = false
      }
      waiting.set(one, now())
      if (waiting.size === 1) watch()
      return true
    },
    take() {
      for (const [one, joinedAt] of waiting) {
        waiting.delete(one)
        if (waiting.size === 0) clearTimeout(timer)
        if (now() - joinedAt < waitMsMax) {
          // The first of a line has not waited for another one to be done.
          if (isMoving) eachMs += (now() - movedAt - eachMs) / sampled
          movedAt = now()
          isMoving = true
          return one
        }
        tooLate(one)
      }
      return undefined
    },
    dissolve() {
      clearTimeout(timer)
      const all = [...waiting.keys()]
      waiting.clear()
      return all
    },
  }
}
