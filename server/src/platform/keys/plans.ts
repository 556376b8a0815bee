import type { Limits } from '../lib/limits.ts'

export type Plan = 'free' | 'pro' | 'business' | 'enterprise'

/** Limits by plan. Enterprise limits are agreed individually and stored with the key. */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} satisfies Record<Exclude<Plan, 'enterprise'>, Limits>

/** The preset that every service has: all scopes. */
export const adminPreset = 'admin'

/** An administrator's key: the first key, and the replacement when all keys are lost. */
export const administrator = {
  plan: 'enterprise',
  limits: { perMinute: 10_000, perDay: 10_000_000 },
} as const

// The limiter counts requests by subject, without knowing what a subject is. These are the subjects of a key.

/** All requests of a key except those with a separate meter. */
export const keySubject = (keyId: number): string => `key:${keyId}`

/** `GET /limits` has its own meter, so that it uses no quota. */
export const ownMeterSubject = (keyId: number): string => `limits:${keyId}`

/** Once per second on average. That never reaches the limit of 100,000 per day. */
export const ownMeter: Limits = { perMinute: 60, perDay: 100_000 }

/** Messages of agents that call no operation: the handshake, lists, guides. */
export const messageMeterSubject = (keyId: number): string => `messages:${keyId}`

/** As many per minute as the key may send requests, but at least 600: desktop assistants list tools often. */
export function messageLimits({ perMinute }: Limits): Limits {
  const most = Math.max(600, perMinute)
  // The total of all minutes of a day, so that only the limit per minute applies.
  return { perMinute: most, perDay: most * 24 * 60 }
}
