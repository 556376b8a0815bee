import { randomBytes, randomUUID } from 'node:crypto'
import { base62Digits } from './base62.ts'

export const newRequestId = (): string => randomUUID()

/** Cryptographically random characters, each of the 62 equally likely. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 × 62: larger bytes would make the first digits more likely than the rest.
      if (byte < 248 && text.length < length) text += base62Digits[byte % 62]
    }
  }
  return text
}

/** Cryptographically random bytes, in base64. */
export const randomBase64 = (bytes: number): string => randomBytes(bytes).toString('base64')

/** A random delay between `ms / 2` and `ms`, so callers that failed together do not retry together. */
export const jitter = (ms: number): number => ms * (0.5 + Math.random() / 2)
