import type { Database } from '../platform/db/database.ts'
import { displayPrefix, hashSecret } from '../platform/keys/secret.ts'

/** Gives the key with this hash another secret. The key of a sandbox is derived from that of its host, which may have changed. */
export const replaceKey = (db: Database, hash: string, secret: string): Promise<void> =>
  db.transaction(async (tx) => {
    const prefix = displayPrefix(secret)
    await tx.query('UPDATE api_keys SET prefix = $2 WHERE id = (SELECT key_id FROM api_key_secrets WHERE hash = $1)', [
      hash,
      prefix,
    ])
    await tx.query('UPDATE api_key_secrets SET hash = $2 WHERE hash = $1', [hash, hashSecret(secret)])
  })
