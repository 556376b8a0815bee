import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceChange } from './announce.ts'
import { lockExistingKey } from './get.ts'
import { keyEvents } from './operations.ts'
import { isOnlyManager } from './require-manager.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { onlyManagerGraceSeconds, type Rotation } from './shapes.ts'
import { type KeyWithSecret, showKey } from './show.ts'
import { endSecrets, insertSecret, lockManagers, setPrefix } from './store.ts'

/** Gives a key a new secret. Its old secrets keep working for the grace period, unless they expire earlier. */
export async function rotateKey(
  tx: Transaction,
  call: Call,
  id: Id,
  { graceSeconds }: Rotation,
): Promise<KeyWithSecret> {
  const { now, mustMatch, random } = call
  const managers = await lockManagers(tx)
  const before = await lockExistingKey(tx, id, now)
  mustMatch(showKey(before))
  const keyId = before.id
  const graceSecondsMin = isOnlyManager(managers, keyId, now) ? onlyManagerGraceSeconds : 0
  const secret = newSecret(random)
  await endSecrets(tx, keyId, now + Math.max(graceSeconds, graceSecondsMin) * 1000)
  await insertSecret(tx, keyId, hashSecret(secret))
  const key = await setPrefix(tx, keyId, displayPrefix(secret), now)
  recordEvent(tx, call, { type: keyEvents.rotated, data: showKey(key), before: showKey(before) })
  announceChange(tx, keyId, now)
  return { key, secret }
}
