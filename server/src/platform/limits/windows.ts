// The arithmetic of the two fixed windows, as pure functions.

import type { Limits } from '../lib/limits.ts'
import { dayMs, hourMs, minuteMs } from '../lib/time.ts'

export type { Limits }
export { dayMs, hourMs, minuteMs }

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

/** Which window refuses a call that costs this much more: the one that resets last of those without room. */
export const refusingWindow = (used: Used, { perDay }: Limits, cost: number): WindowName =>
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
