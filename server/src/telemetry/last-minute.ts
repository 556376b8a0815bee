import type { Clock } from '../lib/clock.ts'

/** What was answered within a time. */
export interface Answered {
  readonly requests: number
  /** By a 4xx: something was wrong with the request, or its key had no room left. */
  readonly refused: number
  /** By a 5xx. */
  readonly failed: number
}

const secondsKept = 60
const secondOf = (ms: number): number => Math.floor(ms / 1000)

/** Counts the answers of the last sixty seconds, by the second. */
export function createLastMinute(clock: Clock) {
  const seconds = Array.from({ length: secondsKept }, () => ({ second: 0, requests: 0, refused: 0, failed: 0 }))
  return {
    count(status: number, now: number): void {
      const second = secondOf(now)
      const slot = seconds[second % secondsKept]
      if (!slot) return
      if (slot.second !== second) Object.assign(slot, { second, requests: 0, refused: 0, failed: 0 })
      slot.requests++
      if (status >= 500) slot.failed++
      else if (status >= 400) slot.refused++
    },
    read(): Answered {
      const oldest = secondOf(clock.now()) - secondsKept
      const recent = seconds.filter(({ second }) => second > oldest)
      const sum = (field: keyof Answered) => recent.reduce((total, slot) => total + slot[field], 0)
      return { requests: sum('requests'), refused: sum('refused'), failed: sum('failed') }
    },
  }
}
