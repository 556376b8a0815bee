import type { Input } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { announceChange } from './announce.ts'
import type { KeyWithSecret } from './create.ts'
import { lockedKey } from './found.ts'
import type { Rotation } from './operations.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { endSecrets, insertSecret, setPrefix } from './store.ts'

/** Gives a key a new secret. Those it has go on working for the grace time, unless they end before. */
export async function rotateKey(
  tx: Transaction,
  id: Id,
  { graceSeconds }: Rotation,
  { now }: Pick<Input, 'now'>,
): Promise<KeyWithSecret> {
  const { id: keyId } = await lockedKey(tx, id, now)
  const secret = newSecret()
  await endSecrets(tx, keyId, now + graceSeconds * 1000)
  await insertSecret(tx, keyId, hashSecret(secret))
  const key = await setPrefix(tx, keyId, displayPrefix(secret), now)
  await announceChange(tx, keyId, now)
  return { key, secret }
}
