import { dayMs, minuteMs } from '../lib/time.ts'

/** The active ban of a key; null if there is none. */
export interface BanColumns {
  ban_until: number | null
  ban_level: number | null
}

export interface Ban {
  readonly until: number
  readonly level: number
}

/** The active ban in a key's row. */
export const banOf = ({ ban_until: until, ban_level: level }: BanColumns): Ban | undefined =>
  until !== null && level !== null ? { until, level } : undefined

/** How far nodes' clocks may differ. A ban that starts further in the future was set by a wrong clock and is ignored. */
export const clocksApartMs = minuteMs

/** The key's ban, if it is active now. */
export const banAt = ({ ban }: { readonly ban: Ban | undefined }, now: number): Ban | undefined =>
  ban && now < ban.until && ban.until - banDurationMs(ban.level) <= now + clocksApartMs ? ban : undefined

const firstBanMs = 2 * minuteMs
const banMsMax = dayMs
const levelResetMs = dayMs
const strikesMin = 30

/** How many strikes a key may have without a ban: half its requests per minute, but at least `strikesMin`. */
export const strikesAllowed = (perMinute: number): number => Math.max(strikesMin, Math.floor(perMinute / 2))

/** 2 minutes for the first ban, doubled for each further one, at most a day. */
export const banDurationMs = (level: number): number => Math.min(banMsMax, firstBanMs * 2 ** Math.min(level - 1, 30))

/** The level of a new ban: one above the last, or 1 after a day without a ban. */
export function nextLevel(last: { level: number; endedAt: number } | undefined, now: number): number {
  return last && now - last.endedAt < levelResetMs ? last.level + 1 : 1
}
