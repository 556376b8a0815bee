import type { Limits } from '../lib/limits.ts'

// The limiter counts requests by subject, without knowing what a subject is. These are the subjects of a key.

/** All requests of a key except `GET /limits`. */
export const keySubject = (keyId: number): string => `key:${keyId}`

/** `GET /limits` has its own meter, so that it uses no quota. */
export const ownMeterSubject = (keyId: number): string => `limits:${keyId}`

/** Once per second on average, which a day's limit of 100,000 never exhausts. */
export const ownMeter: Limits = { perMinute: 60, perDay: 100_000 }
