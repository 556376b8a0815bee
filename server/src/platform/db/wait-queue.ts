import { Queue } from '../lib/queue.ts'

/** Work that would wait longer than this for the database is rejected immediately. */
export const waitMsMax = 2_000

/** How much time has to be measured before the time per item is updated. */
const measuredMsMin = 250
/** How much the time per item may grow or shrink per update: one pause is not a trend, and a lasting change is soon recognized. */
const changeMax = 4
/** How long a measurement stays valid while nothing waits. */
const measuredForMs = 10_000

export interface WaitQueue<T> {
  readonly length: number
  /** Whether one more item would be reached in time. */
  hasRoom(): boolean
  /** Adds an item; returns false if there is no room. */
  enqueue(item: T): boolean
  /** Removes the item that has waited longest and is not too late. */
  take(): T | undefined
  /** Removes and returns all items. */
  clear(): T[]
}

/**
 * A first-in, first-out queue with admission control. It measures how long an item takes while others wait, and so knows how many it has
 * time for; before the first measurement it assumes `assumedMs`. No item waits longer than `patienceMs`: then `onTimeout` is called.
 */
export function createWaitQueue<T>(
  { assumedMs, patienceMs }: { assumedMs: number; patienceMs: number },
  onTimeout: (item: T) => void,
  now: () => number = () => performance.now(),
): WaitQueue<T> {
  const waiting = new Queue<{ readonly item: T; readonly enqueuedAt: number }>()
  /** When an item was last taken, or was added to the empty queue. */
  let movedAt = Number.NEGATIVE_INFINITY
  let msPerItem = assumedMs
  /** Since the last update of `msPerItem`: how many items were taken while others waited, and in what time. */
  let taken = 0
  let takingMs = 0
  let isMoving = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const hasRoom = () => waiting.length * msPerItem < waitMsMax

  // The first item has waited longest, so one timer is enough.
  function setTimer(): void {
    clearTimeout(timer)
    const { first } = waiting
    if (first) timer = setTimeout(removeLate, Math.max(0, first.enqueuedAt + patienceMs - now()))
  }

  function removeLate(): void {
    for (let first = waiting.first; first && now() - first.enqueuedAt >= patienceMs; first = waiting.first) {
      waiting.shift()
      onTimeout(first.item)
    }
    setTimer()
  }

  function measure(tookMs: number): void {
    taken++
    takingMs += tookMs
    if (takingMs < measuredMsMin) return
    msPerItem = Math.min(msPerItem * changeMax, Math.max(msPerItem / changeMax, takingMs / taken))
    taken = 0
    takingMs = 0
  }

  return {
    get length() {
      return waiting.length
    },
    hasRoom,
    enqueue(item) {
      if (!hasRoom()) return false
      const enqueuedAt = now()
      if (waiting.length === 0) {
        if (enqueuedAt - movedAt > measuredForMs) msPerItem = assumedMs
        movedAt = enqueuedAt
        isMoving = false
      }
      waiting.push({ item, enqueuedAt })
      if (waiting.length === 1) setTimer()
      return true
    },
    take() {
      if (waiting.length === 0) return undefined
      const takenAt = now()
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { item, enqueuedAt } = next
        if (waiting.length === 0) clearTimeout(timer)
        if (takenAt - enqueuedAt < patienceMs) {
          // The first item of an empty queue did not wait for another one to finish.
          if (isMoving) measure(takenAt - movedAt)
          movedAt = takenAt
          isMoving = true
          return item
        }
        onTimeout(item)
      }
      return undefined
    },
    clear() {
      clearTimeout(timer)
      const items: T[] = []
      for (let next = waiting.shift(); next; next = waiting.shift()) items.push(next.item)
      return items
    },
  }
}
