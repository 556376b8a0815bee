import { session } from './session.ts'

// Requests that the user did not ask for, such as reloads when something changed, must leave a small key enough to work with.

/** They get this share of what the key has left, spread over the rest of each window. */
const share = 0.5
/** How many may be sent at once after a quiet time, if the key has this many times as many requests per minute. */
const burstMax = 10
const burstShare = 6
/** A window whose end is not known yet. */
const msLeftDefault = 60_000
const waitMsMax = 30_000

interface Allowance {
  readonly perMs: number
  readonly burst: number
}

let saved = burstMax
let countedAt = Date.now()

function findAllowance(now: number): Allowance {
  const windows = Object.values(session.value?.store.limits.last ?? {})
  const rates = windows.map(
    ({ remaining, resetAt }) => (share * remaining) / Math.max(1_000, resetAt.getTime() - now || msLeftDefault),
  )
  const smallest = Math.min(...windows.map(({ limit }) => limit))
  return { perMs: Math.min(...rates), burst: Math.max(1, Math.min(burstMax, smallest / burstShare)) }
}

/** How long to wait before that many requests may be sent. If there is nothing to wait for, they count as sent. */
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
