import { validationFailed } from '../api/errors.ts'
import { firstTime } from '../api/shapes.ts'
import { dayMs, hourMs } from '../lib/time.ts'
import { windowStart } from '../limits/limiter.ts'

const lengthMs = { hour: hourMs, day: dayMs }
const defaultCount = { hour: 24, day: 30 }
export const entriesMax = 2_400

interface UsageQuery {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly per?: 'hour' | 'day' | undefined
}

/** The start times of the requested hours or days. */
export function rangeOf({ from, to: end, per = 'hour' }: UsageQuery, now: number) {
  const length = lengthMs[per]
  // By default up to and including the current millisecond.
  const to = end ?? now + 1
  if (from !== undefined && from > to) throw queryFault('/from', 'must not be after to')
  const entries = defaultCount[per]
  const first = windowStart(from ?? to - 1 - (entries - 1) * length, length)
  if (first < firstTime) throw queryFault('/to', `must leave room for ${entries} ${per}s before it, or give from`)
  const count = Math.ceil((to - first) / length)
  if (count > entriesMax)
    throw queryFault('/from', `must be at most ${entriesMax} ${per}s before to, counted from the start of its ${per}`)
  return { per, first, to, starts: Array.from({ length: count }, (_, index) => first + index * length) }
}

const queryFault = (path: string, message: string) => validationFailed([{ in: 'query', path, message }])
