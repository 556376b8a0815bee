import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceChange } from './announce.ts'
import { lockExistingKey } from './get.ts'
import { keyEvents } from './operations.ts'
import { requireManager } from './require-manager.ts'
import { showKey } from './show.ts'
import { type KeyRow, lockManagers, setRevoked } from './store.ts'

/** Revokes a key with all its secrets, permanently. Returns the key as it was. */
export async function revokeKey(tx: Transaction, call: Call, id: Id): Promise<KeyRow> {
  const { mustMatch, now } = call
  const managers = await lockManagers(tx)
  const key = await lockExistingKey(tx, id, now)
  mustMatch(showKey(key))
  await setRevoked(tx, key.id, now)
  await requireManager(tx, managers, key.id)
  recordEvent(tx, call, { type: keyEvents.revoked, data: showKey(key) })
  announceChange(tx, key.id, now)
  return key
}
