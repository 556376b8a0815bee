import type { Origin } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import { expiryFaults, limitsOf, scopesOf, throwFaults } from './fields.ts'
import type { NewKey } from './operations.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { type KeyWithSecret, showKey } from './show.ts'
import { insertKey, insertSecret } from './store.ts'

/** Creates a key with a new secret, or with the given one. */
export async function createKey(
  tx: Transaction,
  call: Origin,
  wanted: NewKey,
  secret = newSecret(),
): Promise<KeyWithSecret> {
  const { now } = call
  const { name, plan, limits, expiresAt = null } = wanted
  throwFaults(expiryFaults(expiresAt, now))
  const fields = { name, plan, limits: limitsOf(plan, limits), scopes: scopesOf(wanted), expiresAt }
  const key = await insertKey(tx, fields, displayPrefix(secret), now)
  await insertSecret(tx, key.id, hashSecret(secret))
  recordEvent(tx, call, { type: 'key.created', data: showKey(key) })
  return { key, secret }
}
