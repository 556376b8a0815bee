/** What is left of a limit's window, as a response reported it. */
export interface Window {
  readonly limit: number
  readonly remaining: number
  /** When the window resets, by this machine's clock. */
  readonly resetAt: Date
}

/** By name: `minute` and `day`. */
export type LimitWindows = Readonly<Record<string, Window>>

const quota = /"(\w+)";q=(\d+)/g
const state = /"(\w+)";r=(\d+);t=(\d+)/g

/** Reads `RateLimit-Policy` and `RateLimit`; undefined if they are absent. Times are relative, so clocks may differ. */
export function readLimits(headers: Headers, now: number): LimitWindows | undefined {
  const quotas = Object.fromEntries(
    [...(headers.get('RateLimit-Policy') ?? '').matchAll(quota)].map(([, name, limit]) => [name, Number(limit)]),
  )
  const windows = [...(headers.get('RateLimit') ?? '').matchAll(state)].map(([, name = '', remaining, seconds]) => [
    name,
    {
      limit: quotas[name] ?? Number(remaining),
      remaining: Number(remaining),
      resetAt: new Date(now + Number(seconds) * 1000),
    },
  ])
  return windows.length === 0 ? undefined : Object.fromEntries(windows)
}

/** Resets are reported in whole seconds: within one window they differ by little, between windows by a window's length. */
const sameWindowMs = 5_000

export const isNextWindow = (known: Window, reported: Window, now: number): boolean =>
  known.resetAt.getTime() <= now || reported.resetAt.getTime() > known.resetAt.getTime() + sameWindowMs

/** Responses overtake each other: within one window, the lowest reported value is right. */
export function mergeWindow(known: Window | undefined, reported: Window, now: number): Window {
  if (!known || isNextWindow(known, reported, now)) return reported
  if (reported.resetAt.getTime() < known.resetAt.getTime() - sameWindowMs) return known
  return { ...reported, remaining: Math.min(known.remaining, reported.remaining) }
}

/** Whole seconds, as the service sends them, or a date, as a proxy may. */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('Retry-After')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
