import type { Profile } from '../profile/profile.ts'
import type { Exchange } from './exchange.ts'
import { apiEndedMs, isComplete, isLimited, waitedMs } from './read.ts'

/** A timer may end this much early. */
export const toleranceMs = 50

const isSeconds = (value: string): boolean => /^\d+$/.test(value)

/** How long a rejection asks the client to wait. A date is measured from the Date of the response. */
export function askedMs(rejection: Exchange, profile: Profile): number | undefined {
  const { apiArrivedMs, responseHeaders, status } = rejection
  const value = responseHeaders['retry-after']
  if (value === undefined || !isComplete(rejection) || (status ?? 0) < 400) return undefined
  if (isSeconds(value)) return exactMs(Number(value) * 1000, rejection, profile)
  const until = Date.parse(value)
  const from = Date.parse(responseHeaders.date ?? '')
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(from) ? apiArrivedMs : from))
}

/** Seconds are rounded up. If the API also says when the limit resets, that is exact. */
function exactMs(ms: number, rejection: Exchange, profile: Profile): number {
  const { limits } = profile
  if (!limits?.resetHeader || !isLimited(rejection, profile)) return ms
  const resetMs = Number(rejection.responseHeaders[limits.resetHeader]) * 1000
  const left = resetMs - apiEndedMs(rejection)
  return left <= ms && left > ms - 1_000 ? left : ms
}

/**
 * Whether the client waited as long as a rejection asked. A date counts as reached when either side's clock has reached it. If
 * it had already passed by the machine's clock, as when a test moved the API's clock back, the client may have seen no reason to wait.
 */
export function patienceOf(rejection: Exchange, next: Exchange, profile: Profile): 'patient' | 'early' | 'unclear' {
  if (waitedMs(rejection, next) >= (askedMs(rejection, profile) ?? 0) - toleranceMs) return 'patient'
  const value = rejection.responseHeaders['retry-after'] ?? ''
  if (isSeconds(value)) return 'early'
  const until = Date.parse(value) - toleranceMs
  if (rejection.arrivedMs >= until) return next.apiArrivedMs >= until ? 'patient' : 'unclear'
  return Math.max(next.arrivedMs, next.apiArrivedMs) >= until ? 'patient' : 'early'
}
