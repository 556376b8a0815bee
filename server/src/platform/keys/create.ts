import type { Origin } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Limits } from '../lib/limits.ts'
import { expiryFaults, limitsOf, throwFaults } from './fields.ts'
import { keyEvents } from './operations.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { type KeyWithSecret, showKey } from './show.ts'
import { insertKey, insertSecret, type KeyFields } from './store.ts'

/** Creates a key with a new secret, or with the given one. */
export async function createKey(
  tx: Transaction,
  call: Origin,
  wanted: Omit<KeyFields, 'limits' | 'expiresAt'> & {
    readonly limits?: Limits | undefined
    readonly expiresAt?: number | undefined
  },
  secret = newSecret(),
): Promise<KeyWithSecret> {
  const { now } = call
  const { name, plan, limits, scopes, expiresAt = null } = wanted
  throwFaults(expiryFaults(expiresAt, now))
  const fields = { name, plan, limits: limitsOf(plan, limits), scopes, expiresAt }
  const key = await insertKey(tx, fields, displayPrefix(secret), now)
  await insertSecret(tx, key.id, hashSecret(secret))
  recordEvent(tx, call, { type: keyEvents.created, data: showKey(key) })
  return { key, secret }
}
