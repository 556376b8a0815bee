import { hkdfSync } from 'node:crypto'
import type { KnownKey } from '../keys/directory.ts'

/**
 * The key that encrypts a secret in a stored answer. It is derived from the caller's secret and the Idempotency-Key. The database has
 * only hashes of both, so access to the database is not enough to derive it.
 */
export const sealingKeyOf = ({ secret }: KnownKey, idempotencyKey: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, idempotencyKey, 'petstore secret in a stored answer', 32))
