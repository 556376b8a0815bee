import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { expiryFaults, limitsOf, refuse, scopesOf } from './fields.ts'
import type { NewKey } from './operations.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { insertKey, insertSecret, type KeyRow } from './store.ts'

/** A key with the secret it was just given, which nobody else knows. */
export interface KeyWithSecret {
  readonly key: KeyRow
  readonly secret: string
}

/** Makes a key with a new secret, or with the one given. */
export async function createKey(
  tx: Transaction,
  { now }: Pick<Call, 'now'>,
  wanted: NewKey,
  secret = newSecret(),
): Promise<KeyWithSecret> {
  const { name, plan, limits, expiresAt = null } = wanted
  refuse(expiryFaults(expiresAt, now))
  const fields = { name, plan, limits: limitsOf(plan, limits), scopes: scopesOf(wanted), expiresAt }
  const key = await insertKey(tx, fields, displayPrefix(secret), now)
  await insertSecret(tx, key.id, hashSecret(secret))
  return { key, secret }
}
