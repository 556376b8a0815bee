/** What is left of a window, as an answer told it. */
export interface Window {
  readonly limit: number
  readonly remaining: number
  /** When it begins anew, by this machine's clock. */
  readonly resetAt: Date
}

/** By name: `minute` and `day`. */
export type LimitsTold = Readonly<Record<string, Window>>

const quota = /"(\w+)";q=(\d+)/g
const state = /"(\w+)";r=(\d+);t=(\d+)/g

/** The windows in `RateLimit-Policy` and `RateLimit`; undefined where there are none. Times are relative, so clocks may differ. */
export function readLimits(headers: Headers, now: number): LimitsTold | undefined {
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

/** Whole seconds, as the service sends them, or a date, as a proxy may. */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('Retry-After')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
