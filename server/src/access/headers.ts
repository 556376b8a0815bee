import { dayMs, isTighter, type Limits, leftOf, minuteMs, secondsUntil, windowEnd } from '../limits/windows.ts'
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
  const minuteLeft = leftOf(perMinute, used.minute)
  const dayLeft = leftOf(perDay, used.day)
  const minuteEnd = windowEnd(now, minuteMs)
  const dayEnd = windowEnd(now, dayMs)
  const isMinute = isTighter(minuteLeft, dayLeft)
  headers.set('X-RateLimit-Limit', String(isMinute ? perMinute : perDay))
  headers.set('X-RateLimit-Remaining', String(isMinute ? minuteLeft : dayLeft))
  headers.set('X-RateLimit-Reset', String((isMinute ? minuteEnd : dayEnd) / 1000))
  headers.set('RateLimit-Policy', policyOf(limits))
  headers.set(
    'RateLimit',
    `"minute";r=${minuteLeft};t=${secondsUntil(minuteEnd, now)},"day";r=${dayLeft};t=${secondsUntil(dayEnd, now)}`,
  )
}
