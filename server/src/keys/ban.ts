import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { record } from '../events/record.ts'
import { announceChange } from './announce.ts'
import { banDurationMs, nextLevel } from './bans.ts'
import { lockedKey } from './found.ts'
import { showKey } from './show.ts'
import { findLastBan, insertBan, type KeyRow } from './store.ts'

/** Bans a key from now on, unless it is banned already: nodes that come to the same conclusion impose one ban. */
export async function banKey(tx: Transaction, call: Pick<Call, 'now'>, id: number): Promise<KeyRow> {
  const { now } = call
  const key = await lockedKey(tx, id, now)
  if (key.ban_until !== null) return key
  const last = await findLastBan(tx, id)
  const level = nextLevel(last && { level: last.level, endedAt: last.lifted_at ?? last.until_at }, now)
  const until = now + banDurationMs(level)
  await insertBan(tx, id, { until, level }, now)
  const banned = { ...key, ban_until: until, ban_level: level }
  record(tx, call, { type: 'key.banned', data: showKey(banned), before: showKey(key) })
  announceChange(tx, id, now)
  return banned
}
