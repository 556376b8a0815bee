import type { Origin } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import { announceChange } from './announce.ts'
import { banDurationMs, nextLevel } from './directory.ts'
import { lockExistingKey } from './get.ts'
import { keyEvents } from './operations.ts'
import { showKey } from './show.ts'
import { findLastBan, insertBan, type KeyRow, lockManagers } from './store.ts'

/** Bans a key, unless it is already banned: nodes that decide this at the same time create only one ban. */
export async function banKey(tx: Transaction, call: Origin, id: number): Promise<{ key: KeyRow; isNew: boolean }> {
  const { now } = call
  // Like every other change of a key: a transaction has its place among the events from its first lock on.
  await lockManagers(tx)
  const key = await lockExistingKey(tx, id, now)
  if (key.ban_until !== null) return { key, isNew: false }
  const last = await findLastBan(tx, id)
  const level = nextLevel(last && { level: last.level, endedAt: last.lifted_at ?? last.until_at }, now)
  const until = now + banDurationMs(level)
  await insertBan(tx, id, { until, level }, now)
  const banned = { ...key, ban_until: until, ban_level: level }
  recordEvent(tx, call, { type: keyEvents.banned, data: showKey(banned), before: showKey(key) })
  announceChange(tx, id, now)
  return { key: banned, isNew: true }
}
