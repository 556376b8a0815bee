import type { Limits } from '../lib/limits.ts'
import { dayMs, minuteMs } from '../lib/time.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface Decision {
  readonly admitted: boolean
  /** What the windows have admitted, including this call. */
  readonly used: Used
  /** Strikes of the last ten minutes, including this call if it is one; 0 for an admitted call. */
  readonly strikes: number
  /** Whether this call is one. */
  readonly isStrike?: boolean
}

/** Counts requests. Decides and counts in one step; a rejected call uses nothing. */
export interface Limiter {
  /** `cost`: how many requests the call counts as. All of them are admitted, or none. */
  admit(subject: string, limits: Limits, now: number, cost?: number): Decision | Promise<Decision>
  used(subject: string, now: number): Used | Promise<Used>
  /** What this node last saw of the windows, without a query; undefined if it never did. */
  known(subject: string, now: number): Used | undefined
  /** What the windows will have admitted, as far as this node knows, if every undecided call is admitted. */
  expected(subject: string, now: number): Used | undefined
  forgetStrikes(subject: string): void | Promise<void>
  /** Called every second: synchronizes this process and the database. */
  flush(): Promise<void>
  /** Called every minute: drops what has ended by `settled`, a time that no leap of the clock affects. */
  forgetIdle(settled: number): Promise<void>
  /** Writes everything to the database; nothing is counted afterwards. */
  close(): Promise<void>
}

export const addressSubject = (address: string): string => `address:${address}`
export const isAddress = (subject: string): boolean => subject.startsWith('address:')

/**
 * A rejected call that arrives later than this after its window first rejected one is a strike. A call that arrives before may have been on
 * its way already, so the first `gracedMax` of them are none. The routine `petstore_admit` repeats this number.
 */
export const strikeGraceMs = 1_000

/** How many calls a window rejects without a strike. The routine `petstore_admit` repeats this number. */
export const gracedMax = 200

/** Strikes are counted per minute, and those of the last ten minutes matter. The routine `petstore_admit` repeats this in milliseconds. */
export const strikeMinutes = 10

/** Counts what the limiter decides. */
export function countDecisions(metrics: Metrics, limiter: Limiter): Limiter {
  let admitted = 0
  let rejected = 0
  metrics.add({
    name: 'petstore_limiter_decisions_total',
    help: 'Calls that the limits admitted or rejected.',
    kind: 'counter',
    labels: ['decision'],
    read: () => [
      [admitted, 'admitted'],
      [rejected, 'rejected'],
    ],
  })
  const count = (decision: Decision) => {
    if (decision.admitted) admitted++
    else rejected++
  }
  return {
    ...limiter,
    admit(subject, limits, now, cost) {
      const decision = limiter.admit(subject, limits, now, cost)
      if (decision instanceof Promise) void decision.then(count, () => undefined)
      else count(decision)
      return decision
    },
  }
}

// The arithmetic of the two fixed windows, as pure functions.

export const windowStart = (now: number, lengthMs: number): number => now - (((now % lengthMs) + lengthMs) % lengthMs)

/** How many requests the current windows have admitted. */
export interface Used {
  readonly minute: number
  readonly day: number
}

/** Whether both windows allow these counts: every request counts in both. */
export const fits = (used: Used, { perMinute, perDay }: Limits): boolean =>
  used.minute <= perMinute && used.day <= perDay

export type WindowName = 'minute' | 'day'

/** Which window rejects a call that costs this much more: the one that resets last of those without room. */
export const rejectingWindow = (used: Used, { perDay }: Limits, cost: number): WindowName =>
  used.day + cost > perDay ? 'day' : 'minute'

export interface WindowState {
  readonly name: WindowName
  readonly limit: number
  readonly remaining: number
  readonly lengthMs: number
  /** When the window ends: a whole second, always after now. */
  readonly resetAt: number
}

export function windowStates(used: Used, limits: Limits, now: number): readonly [WindowState, WindowState] {
  return [
    windowState('minute', minuteMs, used.minute, limits.perMinute, now),
    windowState('day', dayMs, used.day, limits.perDay, now),
  ]
}

function windowState(
  name: WindowState['name'],
  lengthMs: number,
  used: number,
  limit: number,
  now: number,
): WindowState {
  return { name, limit, lengthMs, remaining: remainingOf(limit, used), resetAt: windowEnd(now, lengthMs) }
}

export const remainingOf = (limit: number, used: number): number => Math.max(0, limit - used)
export const windowEnd = (now: number, lengthMs: number): number => windowStart(now, lengthMs) + lengthMs

/** Which window limits a client first: the one with less left; if equal, the one that resets later. */
export const isMinuteTightest = (minute: number, day: number): boolean => minute < day

/** Of the windows without room for this many requests, the one that resets last. */
export const blockingWindow = ([minute, day]: readonly [WindowState, WindowState], cost = 1): WindowState =>
  day.remaining < cost ? day : minute

/** Whole seconds, rounded up, so that a client that waits exactly that long is admitted. */
export const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000))
