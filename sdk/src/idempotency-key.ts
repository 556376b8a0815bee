/** 128 random bits. Not `crypto.randomUUID`, which browsers offer only over HTTPS or on localhost. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
