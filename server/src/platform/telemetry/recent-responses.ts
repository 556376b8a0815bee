import type { Clock } from '../lib/clock.ts'

/** Responses sent in some time. */
export interface ResponseCounts {
  readonly requests: number
  /** 4xx responses. */
  readonly rejected: number
  /** 5xx responses. */
  readonly failed: number
}

interface SlotCounts extends ResponseCounts {
  /** When the slot began. */
  readonly from: number
}

/** Counts the responses of the last `slotCount` slots of time, such as 60 seconds or 24 hours. */
export function createRecentResponses(clock: Clock, slotMs: number, slotCount: number) {
  const slots = Array.from({ length: slotCount }, () => ({ number: 0, requests: 0, rejected: 0, failed: 0 }))
  const numberOf = (ms: number): number => Math.floor(ms / slotMs)
  /** All slots, the oldest first; the last one is still filling. */
  const readSlots = (): SlotCounts[] => {
    const oldest = numberOf(clock.now()) - slotCount + 1
    return Array.from({ length: slotCount }, (_, index) => {
      const slot = slots.find(({ number }) => number === oldest + index)
      const { requests = 0, rejected = 0, failed = 0 } = slot ?? {}
      return { from: (oldest + index) * slotMs, requests, rejected, failed }
    })
  }
  return {
    count(status: number, now: number): void {
      const number = numberOf(now)
      const slot = slots[number % slotCount]
      if (!slot) return
      if (slot.number !== number) Object.assign(slot, { number, requests: 0, rejected: 0, failed: 0 })
      slot.requests++
      if (status >= 500) slot.failed++
      else if (status >= 400) slot.rejected++
    },
    read(): ResponseCounts {
      const oldest = numberOf(clock.now()) - slotCount
      const recent = slots.filter(({ number }) => number > oldest)
      const sum = (field: keyof ResponseCounts) => recent.reduce((total, slot) => total + slot[field], 0)
      return { requests: sum('requests'), rejected: sum('rejected'), failed: sum('failed') }
    },
    readSlots,
  }
}
