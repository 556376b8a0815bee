import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { record } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceChange, banLifted } from './announce.ts'
import { lockedKey } from './found.ts'
import { showKey } from './show.ts'
import { endBan, type KeyRow } from './store.ts'

/** Ends the ban of a key, if it has one, and has every node forget its strikes. */
export async function unbanKey(tx: Transaction, call: Call, id: Id): Promise<KeyRow> {
  const { mustMatch, now } = call
  const key = await lockedKey(tx, id, now)
  mustMatch(showKey(key))
  await endBan(tx, key.id, now)
  const unbanned = { ...key, ban_until: null, ban_level: null }
  record(tx, call, { type: 'key.unbanned', data: showKey(unbanned), before: showKey(key) })
  announceChange(tx, key.id, now)
  tx.notify(banLifted, String(key.id))
  return unbanned
}
