import { hash, hkdfSync } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Random, randomBase62, toBase62 } from '../lib/random.ts'

const prefixLength = 8
const checksumOf = (body: string): string => toBase62(crc32(body), 6)

/** `ps_`, 30 random characters and a checksum of 6. */
export function newSecret(random?: Random): string {
  const body = randomBase62(30, random)
  return `ps_${body}${checksumOf(body)}`
}

/** Whether a text has the form of a key. Catches typos without a database lookup. */
export function isWellFormed(secret: string): boolean {
  return /^ps_[0-9A-Za-z]{36}$/.test(secret) && checksumOf(secret.slice(3, 33)) === secret.slice(33)
}

/** Stored instead of the secret. The secret has 178 random bits, so a slow hash would add no security. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

export const displayPrefix = (secret: string): string => secret.slice(0, prefixLength)

/**
 * The key that encrypts a secret in a stored response. It is derived from the caller's secret and the Idempotency-Key. The database has
 * only hashes of both, so access to the database is not enough to derive it.
 */
export const sealingKeyOf = ({ secret }: { readonly secret: string }, idempotencyKey: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, idempotencyKey, 'petstore secret in a stored response', 32))
