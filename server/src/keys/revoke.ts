import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { record } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceChange } from './announce.ts'
import { lockedKey } from './found.ts'
import { showKey } from './show.ts'
import { mustStayManaged } from './stay-managed.ts'
import { type KeyRow, lockManagers, setRevoked } from './store.ts'

/** Ends a key with all its secrets, for good. The key as it was. */
export async function revokeKey(tx: Transaction, call: Call, id: Id): Promise<KeyRow> {
  const { mustMatch, now } = call
  const managers = await lockManagers(tx)
  const key = await lockedKey(tx, id, now)
  mustMatch(showKey(key))
  await setRevoked(tx, key.id, now)
  await mustStayManaged(tx, managers)
  record(tx, call, { type: 'key.revoked', data: showKey(key) })
  announceChange(tx, key.id, now)
  return key
}
