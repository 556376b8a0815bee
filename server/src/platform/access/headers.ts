import {
  dayMs,
  isMinuteTightest,
  type Limits,
  minuteMs,
  remainingOf,
  secondsUntil,
  windowEnd,
} from '../limits/windows.ts'
import type { Windows } from './admission.ts'

/** `RateLimit-Policy` by limits. A limits object lives as long as its key is cached. */
const policies = new WeakMap<Limits, string>()

function policyOf(limits: Limits): string {
  const cached = policies.get(limits)
  if (cached !== undefined) return cached
  const policy = `"minute";q=${limits.perMinute};w=60,"day";q=${limits.perDay};w=86400`
  policies.set(limits, policy)
  return policy
}

/**
 * Sets the rate-limit headers: the tightest window in the `X-` headers, both windows in the IETF's `RateLimit` headers. During a ban the
 * `X-` headers say that nothing is left until its end.
 */
export function setLimitHeaders(headers: Headers, { used, limits, now, bannedUntil }: Windows): void {
  const { perMinute, perDay } = limits
  const minute = remainingOf(perMinute, used.minute)
  const day = remainingOf(perDay, used.day)
  const minuteEnds = windowEnd(now, minuteMs)
  const dayEnds = windowEnd(now, dayMs)
  const isMinute = isMinuteTightest(minute, day)
  headers.set('X-RateLimit-Limit', String(isMinute ? perMinute : perDay))
  const isBanned = bannedUntil !== undefined
  headers.set('X-RateLimit-Remaining', isBanned ? '0' : String(isMinute ? minute : day))
  const resetAt = bannedUntil ?? (isMinute ? minuteEnds : dayEnds)
  headers.set('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)))
  headers.set('RateLimit-Policy', policyOf(limits))
  headers.set(
    'RateLimit',
    `"minute";r=${minute};t=${secondsUntil(minuteEnds, now)},"day";r=${day};t=${secondsUntil(dayEnds, now)}`,
  )
}
