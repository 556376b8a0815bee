import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceChange, banLifted } from './announce.ts'
import { lockExistingKey } from './get.ts'
import { keyEvents } from './operations.ts'
import { showKey } from './show.ts'
import { endBan, type KeyRow } from './store.ts'

/** Ends a key's ban, if any, and resets its strikes on every node. */
export async function unbanKey(tx: Transaction, call: Call, id: Id): Promise<KeyRow> {
  const { mustMatch, now } = call
  const key = await lockExistingKey(tx, id, now)
  mustMatch(showKey(key))
  await endBan(tx, key.id, now)
  const unbanned = { ...key, ban_until: null, ban_level: null }
  recordEvent(tx, call, { type: keyEvents.unbanned, data: showKey(unbanned), before: showKey(key) })
  announceChange(tx, key.id, now)
  tx.notify(banLifted, String(key.id))
  return unbanned
}
