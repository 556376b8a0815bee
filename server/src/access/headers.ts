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

/** Sets the rate-limit headers: the tightest window in the `X-` headers, both windows in the IETF's `RateLimit` headers. */
export function setLimitHeaders(headers: Headers, { used, limits, now }: Windows): void {
  const { perMinute, perDay } = limits
  const minute = remainingOf(perMinute, used.minute)
  const day = remainingOf(perDay, used.day)
  const minuteEnds = windowEnd(now, minuteMs)
  const dayEnds = windowEnd(now, dayMs)
  const isMinute = isMinuteTightest(minute, day)
  headers.set('X-RateLimit-Limit', String(isMinute ? perMinute : perDay))
  headers.set('X-RateLimit-Remaining', String(isMinute ? minute : day))
  headers.set('X-RateLimit-Reset', String((isMinute ? minuteEnds : dayEnds) / 1000))
  headers.set('RateLimit-Policy', policyOf(limits))
  headers.set(
    'RateLimit',
    `"minute";r=${minute};t=${secondsUntil(minuteEnds, now)},"day";r=${day};t=${secondsUntil(dayEnds, now)}`,
  )
}
