import { type Limits, secondsUntil, tightest, type Used, windowStates } from '../limits/windows.ts'

/** Made once for all calls under the same limits, which live as long as their key is remembered. */
const policies = new WeakMap<Limits, string>()

function policyOf(limits: Limits): string {
  const known = policies.get(limits)
  if (known !== undefined) return known
  const policy = `"minute";q=${limits.perMinute};w=60,"day";q=${limits.perDay};w=86400`
  policies.set(limits, policy)
  return policy
}

/** The rate-limit headers of an answer: the tightest window in the X- fields, both in the IETF's structured fields. */
export function limitHeaders(used: Used, limits: Limits, now: number): Record<string, string> {
  const windows = windowStates(used, limits, now)
  const { limit, remaining, resetAt } = tightest(windows)
  const [minute, day] = windows
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetAt / 1000),
    'RateLimit-Policy': policyOf(limits),
    RateLimit: `"minute";r=${minute.remaining};t=${secondsUntil(minute.resetAt, now)},"day";r=${day.remaining};t=${secondsUntil(day.resetAt, now)}`,
  }
}
