import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'

/** Where secrets, ids and delays get their randomness. */
export interface Random {
  bytes(count: number): Uint8Array
  uuid(): string
}

/** Cryptographically random. */
export const systemRandom: Random = { bytes: randomBytes, uuid: randomUUID }

const blockBytes = 16
const refillBytes = 4096
/** Hexadecimal digits of a UUID, two for each random byte. */
const uuidDigits = 32

/** How much of a sequence was taken. */
export interface Taken {
  readonly bytes: number
  readonly uuids: number
}

export interface SeededRandom extends Random {
  taken(): Taken
}

/** The same values for the same seed, continued after what was taken before. They cannot be guessed without the seed. */
export function seededRandom(seed: string, before: Taken = { bytes: 0, uuids: 0 }): SeededRandom {
  const nextBytes = openStream(`${seed} bytes`, before.bytes)
  const nextDigits = openStream(`${seed} uuids`, before.uuids * blockBytes)
  let ready = Buffer.alloc(0)
  let digits = ''
  let digitsUsed = 0
  let bytesTaken = before.bytes
  let uuidsTaken = before.uuids
  return {
    bytes(count) {
      if (ready.length < count) ready = Buffer.concat([ready, nextBytes(Math.max(count, refillBytes))])
      const result = ready.subarray(0, count)
      ready = ready.subarray(count)
      bytesTaken += count
      return result
    },
    /** Version 4. Cut from a long text: making each from bytes takes ten times as long. */
    uuid() {
      if (digitsUsed === digits.length) {
        digits = nextDigits(refillBytes).toString('hex')
        digitsUsed = 0
      }
      const at = digitsUsed
      digitsUsed += uuidDigits
      uuidsTaken++
      const part = (from: number, to: number) => digits.slice(at + from, at + to)
      return `${part(0, 8)}-${part(8, 12)}-4${part(13, 16)}-a${part(17, 20)}-${part(20, 32)}`
    },
    taken: () => ({ bytes: bytesTaken, uuids: uuidsTaken }),
  }
}

/** AES-256 in counter mode, with the hash of the seed as its key, from this byte on. */
function openStream(seed: string, from: number): (count: number) => Buffer {
  const counter = Buffer.alloc(blockBytes)
  counter.writeBigUInt64BE(BigInt(Math.floor(from / blockBytes)), 8)
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(seed).digest(), counter)
  cipher.update(Buffer.alloc(from % blockBytes))
  return (count) => cipher.update(Buffer.alloc(count))
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

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `value` in base 62, padded on the left with `0`. */
export function toBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = base62Digits[rest % 62] + text
  return text.padStart(length, '0')
}
