import type { BanColumns } from '../db/tables.ts'
import { dayMs, minuteMs } from '../lib/time.ts'

export interface Ban {
  readonly until: number
  readonly level: number
}

/** The ban in force that a row of a key tells of. */
export const banOf = ({ ban_until: until, ban_level: level }: BanColumns): Ban | undefined =>
  until !== null && level !== null ? { until, level } : undefined

/** How far the clocks of nodes may be apart. A ban that begins later than that was given by a clock that was wrong. */
export const clocksApartMs = minuteMs

/** The ban of a key that holds now: one does from when it was given to its end. */
export const banAt = ({ ban }: { readonly ban: Ban | undefined }, now: number): Ban | undefined =>
  ban && now < ban.until && ban.until - banDurationMs(ban.level) <= now + clocksApartMs ? ban : undefined

const firstBanMs = 2 * minuteMs
const banMsMax = dayMs
const cleanMs = dayMs
const strikesMin = 30

/** Strikes that a key may gather without being banned: half of what it may send in a minute, but not too few. */
export const strikesAllowed = (perMinute: number): number => Math.max(strikesMin, Math.floor(perMinute / 2))

/** 2 minutes, then twice as long with each ban, at most a day. */
export const banDurationMs = (level: number): number => Math.min(banMsMax, firstBanMs * 2 ** Math.min(level - 1, 30))

/** The level of a new ban: one above the last, or the first again after a clean day. */
export function nextLevel(last: { level: number; endedAt: number } | undefined, now: number): number {
  return last && now - last.endedAt < cleanMs ? last.level + 1 : 1
}
