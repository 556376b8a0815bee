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
