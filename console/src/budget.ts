import { session } from './session.ts'

// Requests that the user did not ask for, such as reloads when something changed, must leave a key with low limits enough to work with.

/** These requests get this share of what the key has left, spread over the rest of each window. */
const share = 0.5
/** After a quiet period at most `burstMax` may be sent at once, and at most the smallest limit divided by `burstShare`. */
const burstMax = 10
const burstShare = 6
const waitMsMax = 30_000

let saved = burstMax
let countedAt = Date.now()

/** How many requests may be sent per millisecond, and at once. */
function findAllowance(now: number): { perMs: number; burst: number } {
  const windows = Object.values(session.value?.store.limits.last ?? {})
  if (windows.length === 0) return { perMs: 0, burst: burstMax }
  const rates = windows.map(({ remaining, resetAt }) => (share * remaining) / Math.max(1_000, resetAt.getTime() - now))
  const smallest = Math.min(...windows.map(({ limit }) => limit))
  return { perMs: Math.min(...rates), burst: Math.max(1, Math.min(burstMax, smallest / burstShare)) }
}

/** How many milliseconds to wait before this many requests may be sent. If 0, they count as sent. */
export function reserveRequests(count: number): number {
  const now = Date.now()
  const { perMs, burst } = findAllowance(now)
  saved = Math.min(burst, saved + (now - countedAt) * perMs)
  countedAt = now
  const missing = Math.min(count, burst) - saved
  if (missing > 0) return Math.min(waitMsMax, Math.ceil(missing / perMs))
  saved -= count
  return 0
}
