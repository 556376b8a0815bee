import { type Random, randomFraction, systemRandom } from '../lib/random.ts'
import { dayMs, hourMs, minuteMs } from '../lib/time.ts'

/** The delay after each failed attempt, starting with the first failure. */
export const retryDelaysMs = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const

/** A webhook whose attempts have all failed for this long is deactivated. */
export const failingMsMax = 5 * dayMs

/** How much a delay may be extended, so that deliveries that failed together are not retried together. */
const stretch = 0.2

/** When to retry after this many failures; undefined to give up. Never before the scheduled delay, and up to a fifth later. */
export function nextAttemptAt(failures: number, now: number, random: Random = systemRandom): number | undefined {
  const delayMs = retryDelaysMs[failures - 1]
  if (delayMs === undefined) return undefined
  return Math.round(now + delayMs + randomFraction(random) * stretch * delayMs)
}
