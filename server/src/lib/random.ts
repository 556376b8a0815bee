import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'
import { base62Digits } from './base62.ts'

/** Where secrets, ids and delays get their randomness. */
export interface Random {
  bytes(count: number): Uint8Array
  uuid(): string
}

/** Cryptographically random. */
export const systemRandom: Random = { bytes: randomBytes, uuid: randomUUID }

const blockBytes = 16
const refillBytes = 4096

export interface SeededRandom extends Random {
  /** How many bytes were taken. */
  used(): number
}

/**
 * The same sequence for the same seed, continued after `used` bytes: AES-256 in counter mode, with the hash of the seed as its key.
 * Not to be guessed without the seed.
 */
export function seededRandom(seed: string, used = 0): SeededRandom {
  const counter = Buffer.alloc(blockBytes)
  counter.writeBigUInt64BE(BigInt(Math.floor(used / blockBytes)), 8)
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(seed).digest(), counter)
  cipher.update(Buffer.alloc(used % blockBytes))
  let ready = Buffer.alloc(0)
  let taken = used
  function bytes(count: number): Buffer {
    if (ready.length < count) ready = Buffer.concat([ready, cipher.update(Buffer.alloc(Math.max(count, refillBytes)))])
    const result = ready.subarray(0, count)
    ready = ready.subarray(count)
    taken += count
    return result
  }
  return { bytes, uuid: () => uuidOf(bytes(16)), used: () => taken }
}

/** A UUID of version 4 with these random bytes. */
function uuidOf(random: Buffer): string {
  const bytes = Buffer.from(random)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Random characters, each of the 62 equally likely. */
export function randomBase62(length: number, random = systemRandom): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length * 2)) {
      // 248 = 4 × 62: larger bytes would make the first digits more likely than the rest.
      if (byte < 248 && text.length < length) text += base62Digits[byte % 62]
    }
  }
  return text
}

/** Random bytes, in base64. */
export const randomBase64 = (bytes: number, random = systemRandom): string =>
  Buffer.from(random.bytes(bytes)).toString('base64')

/** A number from 0 up to, but not including, 1. */
export const randomFraction = (random: Random): number => Buffer.from(random.bytes(4)).readUInt32BE() / 2 ** 32

/** A random delay between `ms / 2` and `ms`, so callers that failed together do not retry together. */
export const jitter = (ms: number): number => ms * (0.5 + Math.random() / 2)
