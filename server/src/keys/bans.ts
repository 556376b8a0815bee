import type { Database, Transaction } from '../db/database.ts'
import { dayMs, minuteMs } from '../limits/windows.ts'
import { announceKeyChange, clocksApartMs } from './store.ts'

export interface Ban {
  readonly until: number
  readonly level: number
}

const firstBanMs = 2 * minuteMs
const banMsMax = dayMs
const cleanMs = dayMs

/** Whether the ban holds now: it does from when it was given to its end. */
export const isInForce = ({ until, level }: Ban, now: number): boolean =>
  now < until && until - banDurationMs(level) <= now + clocksApartMs

/** Refused requests within ten minutes that a key may make without being banned. */
export const strikesAllowed = (perMinute: number): number => Math.max(30, Math.floor(perMinute / 2))

/** 2 minutes, then twice as long with each ban, at most a day. */
export const banDurationMs = (level: number): number => Math.min(banMsMax, firstBanMs * 2 ** Math.min(level - 1, 30))

/** The level of a new ban: one above the last, or the first again after a clean day. */
export function nextLevel(last: { level: number; endedAt: number } | undefined, now: number): number {
  return last && now - last.endedAt < cleanMs ? last.level + 1 : 1
}

/** Bans a key from now on, unless it is banned already. */
export function imposeBan(db: Database, keyId: number, now: number): Promise<Ban> {
  return db.transaction(async (tx) => {
    // The lock on the key makes nodes that come to the same conclusion impose one ban, not several.
    await tx.query(`SELECT id FROM api_keys WHERE id = $1 ${tx.dialect.forUpdate}`, [keyId])
    const [last] = await tx.query<{ level: number; until_at: number; lifted_at: number | null }>(
      'SELECT level, until_at, lifted_at FROM bans WHERE key_id = $1 ORDER BY id DESC LIMIT 1',
      [keyId],
    )
    const ban = last && { until: last.until_at, level: last.level }
    if (ban && last.lifted_at === null && isInForce(ban, now)) return ban
    const level = nextLevel(last && { level: last.level, endedAt: last.lifted_at ?? last.until_at }, now)
    const until = now + banDurationMs(level)
    await tx.query('INSERT INTO bans (key_id, level, started_at, until_at) VALUES ($1, $2, $3, $4)', [
      keyId,
      level,
      now,
      until,
    ])
    await announceKeyChange(tx, keyId, now)
    return { until, level }
  })
}

/** Nodes that hear this forget the key's strikes. */
export const banLifted = 'ban_lifted'

export async function liftBan(tx: Transaction, keyId: number, now: number): Promise<void> {
  await tx.query('UPDATE bans SET lifted_at = $2 WHERE key_id = $1 AND lifted_at IS NULL AND until_at > $2', [
    keyId,
    now,
  ])
  await announceKeyChange(tx, keyId, now)
  await tx.notify(banLifted, String(keyId))
}
