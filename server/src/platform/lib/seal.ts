import { createCipheriv, createDecipheriv } from 'node:crypto'
import { randomBase64 } from './random.ts'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Encrypts a text with a key of 32 bytes. Decrypting needs the same key and the same context. */
export function seal(key: Uint8Array, text: string, context: string): string {
  const iv = Buffer.from(randomBase64(ivBytes), 'base64')
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts a text; undefined if the key or the context differs. */
export function unseal(key: Uint8Array, sealed: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
