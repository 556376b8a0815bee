/** 128 bits by chance. Not by `crypto.randomUUID`, which browsers leave out over plain HTTP to another host than one's own. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
