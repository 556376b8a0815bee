import { Queue } from '../lib/queue.ts'

/** Who would have to wait longer than this for the database is told so at once. */
export const waitMsMax = 2_000

/** For how long some have to be taken before it is said anew how long one takes. */
const measuredMsMin = 250
/** How much longer or shorter than before, at most: one stop is no pace, and one that lasts is soon found out. */
const changeMax = 4
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
 * until it was measured, `assumedMs`. Should it come otherwise, nobody waits longer than `patienceMs`: `tooLate` is told of them.
 */
export function createLine<T>(
  { assumedMs, patienceMs }: { assumedMs: number; patienceMs: number },
  tooLate: (one: T) => void,
  now: () => number = () => performance.now(),
): Line<T> {
  const waiting = new Queue<{ readonly one: T; readonly joinedAt: number }>()
  /** When one was last taken, or came to an empty line. */
  let movedAt = Number.NEGATIVE_INFINITY
  let eachMs = assumedMs
  /** Since it was last said how long one takes: how many were taken while others waited, and in what time. */
  let taken = 0
  let takingMs = 0
  let isMoving = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const hasRoom = () => waiting.length * eachMs < waitMsMax

  // Who has waited longest is in front, so one timer does for all.
  function watch(): void {
    clearTimeout(timer)
    const { first } = waiting
    if (first) timer = setTimeout(sendLateAway, Math.max(0, first.joinedAt + patienceMs - now()))
  }

  function sendLateAway(): void {
    for (let first = waiting.first; first && now() - first.joinedAt >= patienceMs; first = waiting.first) {
      waiting.shift()
      tooLate(first.one)
    }
    watch()
  }

  function measure(tookMs: number): void {
    taken++
    takingMs += tookMs
    if (takingMs < measuredMsMin) return
    eachMs = Math.min(eachMs * changeMax, Math.max(eachMs / changeMax, takingMs / taken))
    taken = 0
    takingMs = 0
  }

  return {
    get length() {
      return waiting.length
    },
    hasRoom,
    join(one) {
      if (!hasRoom()) return false
      const joinedAt = now()
      if (waiting.length === 0) {
        if (joinedAt - movedAt > measuredForMs) eachMs = assumedMs
        movedAt = joinedAt
        isMoving = false
      }
      waiting.push({ one, joinedAt })
      if (waiting.length === 1) watch()
      return true
    },
    take() {
      if (waiting.length === 0) return undefined
      const takenAt = now()
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { one, joinedAt } = next
        if (waiting.length === 0) clearTimeout(timer)
        if (takenAt - joinedAt < patienceMs) {
          // The first of a line has not waited for another one to be done.
          if (isMoving) measure(takenAt - movedAt)
          movedAt = takenAt
          isMoving = true
          return one
        }
        tooLate(one)
      }
      return undefined
    },
    dissolve() {
      clearTimeout(timer)
      const all: T[] = []
      for (let next = waiting.shift(); next; next = waiting.shift()) all.push(next.one)
      return all
    },
  }
}
