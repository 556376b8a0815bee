import { hkdfSync } from 'node:crypto'
import type { KnownKey } from '../keys/directory.ts'

/**
 * The key that seals a secret in a stored answer. It takes the caller's own secret and the Idempotency-Key, of which the database has
 * only hashes: who has the database alone cannot make it.
 */
export const sealingKeyOf = ({ secret }: KnownKey, idempotencyKey: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, idempotencyKey, 'petstore secret in a stored answer', 32))
