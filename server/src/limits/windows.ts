// The arithmetic of the two fixed windows. Pure: time and counts come in, decisions and numbers go out.

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

/** Whether so many may be admitted: only when both windows have room, as each counts in both. */
export const fits = (used: Used, { perMinute, perDay }: Limits): boolean =>
  used.minute <= perMinute && used.day <= perDay

export interface WindowState {
  readonly name: 'minute' | 'day'
  readonly limit: number
  readonly remaining: number
  readonly lengthMs: number
  /** When the window ends: always a whole second, always after now. */
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

/** Which window a client should mind, by what is left in each: the one with least; when equal, the one that resets later. */
export const isMinuteTightest = (minute: number, day: number): boolean => minute < day

/** The window without room for this many requests that resets last: until then they are not admitted. */
export const blocking = ([minute, day]: readonly [WindowState, WindowState], cost = 1): WindowState =>
  day.remaining < cost ? day : minute

/** Whole seconds, rounded up, so that a client that waits just that long is served. */
export const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000))
