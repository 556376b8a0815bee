import type { Transaction } from '../db/database.ts'
import { displayPrefix, hashSecret, newSecret } from './secret.ts'
import { showKey } from './show.ts'
import { insertKey, insertSecret, type KeyFields } from './store.ts'

/** Makes a key with a new secret, or with the one given. */
export async function createKey(tx: Transaction, fields: KeyFields, now: number, secret = newSecret()) {
  const row = await insertKey(tx, { ...fields, prefix: displayPrefix(secret), now })
  await insertSecret(tx, row.id, hashSecret(secret))
  return { key: showKey({ ...row, ban_until: null, ban_level: null }), secret }
}
