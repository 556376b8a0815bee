import { jitter } from '../lib/random.ts'
import { dayMs, hourMs, minuteMs } from '../lib/time.ts'

/** How long after a failed attempt the next one is made, counted from the first failure. */
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

/** An endpoint that has answered nothing but failures for this long is switched off. */
export const failingMsMax = 5 * dayMs

/** How far a delay may be stretched, so that what failed together does not return together. */
const stretch = 0.2

/** When to try again after this many failures; undefined: it is given up. Never before its time, up to a fifth after it. */
export function nextAttemptAt(failures: number, now: number): number | undefined {
  const delayMs = retryDelaysMs[failures - 1]
  if (delayMs === undefined) return undefined
  // `jitter` gives half to the whole of what it is given.
  return Math.round(now + delayMs + (jitter(2) - 1) * stretch * delayMs)
}
