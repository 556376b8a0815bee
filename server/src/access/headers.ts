import { type Limits, secondsUntil, tightest, windowStates } from '../limits/windows.ts'
import type { Windows } from './entry.ts'

/** Made once for all calls under the same limits, which live as long as their key is remembered. */
const policies = new WeakMap<Limits, string>()

function policyOf(limits: Limits): string {
  const known = policies.get(limits)
  if (known !== undefined) return known
  const policy = `"minute";q=${limits.perMinute};w=60,"day";q=${limits.perDay};w=86400`
  policies.set(limits, policy)
  return policy
}

/** Sets the rate-limit headers of an answer: the tightest window in the X- fields, both in the IETF's structured fields. */
export function setLimitHeaders(headers: Headers, { used, limits, now }: Windows): void {
  const windows = windowStates(used, limits, now)
  const { limit, remaining, resetAt } = tightest(windows)
  const [minute, day] = windows
  headers.set('X-RateLimit-Limit', String(limit))
  headers.set('X-RateLimit-Remaining', String(remaining))
  headers.set('X-RateLimit-Reset', String(resetAt / 1000))
  headers.set('RateLimit-Policy', policyOf(limits))
  headers.set(
    'RateLimit',
    `"minute";r=${minute.remaining};t=${secondsUntil(minute.resetAt, now)},"day";r=${day.remaining};t=${secondsUntil(day.resetAt, now)}`,
  )
}
