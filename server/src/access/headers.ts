import {
  dayMs,
  isMinuteTightest,
  type Limits,
  minuteMs,
  remainingOf,
  secondsUntil,
  windowEnd,
} from '../limits/windows.ts'
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
