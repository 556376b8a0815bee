// Finds typos in a key without a request: a key is ps_, 30 random characters, and their CRC32 as 6 more.

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function crc32(text: string): number {
  let sum = ~0
  for (let index = 0; index < text.length; index++) {
    sum ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return ~sum >>> 0
}

function base62(value: number): string {
  let text = ''
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text
  return text
}

export function isMistyped(key: string): boolean {
  const [, random = '', sum] = /^ps_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(key) ?? []
  return sum !== base62(crc32(random))
}
