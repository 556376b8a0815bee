import { hash, hkdfSync } from 'node:crypto'
import type { Database, Transaction } from '../db/database.ts'
import { seal, unseal } from '../lib/seal.ts'
import type { WebhookRow } from './store.ts'

/** How signing secrets are stored: encrypted with the operator's key, or in plain text without one. */
export interface SigningSecrets {
  /** The form to store. It can only be opened for a webhook of the same API key. */
  seal(secret: string, keyId: number): string
  open(stored: string, keyId: number): string
  /** Whether this node has the key: during a rolling restart, another one may have encrypted it with a newer key. */
  canOpen(stored: string): boolean
  /** How stored secrets begin that need no re-encryption; undefined if all are in plain text. */
  readonly prefix: string | undefined
}

const sealedPrefix = 'sealed:'
const plainPrefix = 'whsec_'

/** The first key encrypts, and all of them decrypt, so that a key can be replaced. */
export function createSigningSecrets(keys: readonly string[]): SigningSecrets {
  const sealing = keys.map((key) => {
    const bytes = new Uint8Array(hkdfSync('sha256', key, '', 'petstore signing secrets', 32))
    return { bytes, prefix: `${sealedPrefix}${hash('sha256', bytes, 'hex').slice(0, 8)}:` }
  })
  const [first] = sealing
  const context = (keyId: number) => `webhook of key ${keyId}`
  return {
    prefix: first?.prefix,
    canOpen: (stored) => stored.startsWith(plainPrefix) || sealing.some(({ prefix }) => stored.startsWith(prefix)),
    seal: (secret, keyId) => (first ? first.prefix + seal(first.bytes, secret, context(keyId)) : secret),
    open(stored, keyId) {
      if (stored.startsWith(plainPrefix)) return stored
      const key = sealing.find(({ prefix }) => stored.startsWith(prefix))
      const secret = key && unseal(key.bytes, stored.slice(key.prefix.length), context(keyId))
      if (secret !== undefined) return secret
      throw new Error('SECRETS_KEY cannot decrypt the signing secret of a webhook: it needs the key that encrypted it.')
    },
  }
}

type Stored = Pick<WebhookRow, 'id' | 'key_id' | 'secret' | 'old_secret'>

const batchSize = 500

/**
 * Encrypts the secrets that were stored in plain text or with an older key. Throws if one cannot be decrypted. Commits in batches, so that
 * many webhooks cause no timeout.
 */
export async function resealSecrets(db: Database, secrets: SigningSecrets): Promise<void> {
  while ((await db.transaction((tx) => resealSome(tx, secrets))) === batchSize);
}

async function resealSome(tx: Transaction, secrets: SigningSecrets): Promise<number> {
  const rows = await tx.query<Stored>(
    `SELECT id, key_id, secret, old_secret FROM webhooks
     WHERE secret NOT LIKE $1 OR old_secret NOT LIKE $1 LIMIT ${batchSize} ${tx.dialect.forUpdate}`,
    [`${secrets.prefix ?? plainPrefix}%`],
  )
  for (const { id, key_id, secret, old_secret } of rows) {
    const reseal = (stored: string) => secrets.seal(secrets.open(stored, key_id), key_id)
    const resealed = [reseal(secret), old_secret === null ? null : reseal(old_secret)]
    tx.send('UPDATE webhooks SET secret = $2, old_secret = $3 WHERE id = $1', [id, ...resealed])
  }
  return rows.length
}
