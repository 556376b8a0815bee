import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { record } from '../events/record.ts'
import { expiryFaults, limitsOf, refuse, scopesOf } from './fields.ts'
import type { NewKey } from './operations.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { type KeyWithSecret, showKey } from './show.ts'
import { insertKey, insertSecret } from './store.ts'

/** Makes a key with a new secret, or with the one given. */
export async function createKey(
  tx: Transaction,
  call: Pick<Call, 'now'>,
  wanted: NewKey,
  secret = newSecret(),
): Promise<KeyWithSecret> {
  const { now } = call
  const { name, plan, limits, expiresAt = null } = wanted
  refuse(expiryFaults(expiresAt, now))
  const fields = { name, plan, limits: limitsOf(plan, limits), scopes: scopesOf(wanted), expiresAt }
  const key = await insertKey(tx, fields, displayPrefix(secret), now)
  await insertSecret(tx, key.id, hashSecret(secret))
  record(tx, call, { type: 'key.created', data: showKey(key) })
  return { key, secret }
}
