import { secondsUntil, tightest, type WindowState } from '../limits/windows.ts'

/** The rate-limit headers of an answer: the tightest window in the X- fields, both in the IETF's structured fields. */
export function limitHeaders(windows: readonly [WindowState, WindowState], now: number): Record<string, string> {
  const { limit, remaining, resetAt } = tightest(windows)
  const [minute, day] = windows
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetAt / 1000),
    'RateLimit-Policy': `"minute";q=${minute.limit};w=60,"day";q=${day.limit};w=86400`,
    RateLimit: `"minute";r=${minute.remaining};t=${secondsUntil(minute.resetAt, now)},"day";r=${day.remaining};t=${secondsUntil(day.resetAt, now)}`,
  }
}
