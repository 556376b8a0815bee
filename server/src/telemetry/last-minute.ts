import type { Clock } from '../lib/clock.ts'

/** Responses sent in the last minute. */
export interface ResponseCounts {
  readonly requests: number
  /** 4xx responses. */
  readonly refused: number
  /** 5xx responses. */
  readonly failed: number
}

const secondsKept = 60
const secondOf = (ms: number): number => Math.floor(ms / 1000)

/** Counts the responses of the last 60 seconds, in one slot per second. */
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
    read(): ResponseCounts {
      const oldest = secondOf(clock.now()) - secondsKept
      const recent = seconds.filter(({ second }) => second > oldest)
      const sum = (field: keyof ResponseCounts) => recent.reduce((total, slot) => total + slot[field], 0)
      return { requests: sum('requests'), refused: sum('refused'), failed: sum('failed') }
    },
  }
}
