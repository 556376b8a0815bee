import type { Scope } from '../api/scopes.ts'
import { scopes } from '../api/scopes.ts'
import type { Limits } from '../lib/limits.ts'

export type Plan = 'free' | 'pro' | 'business' | 'enterprise'

/** Limits by plan. Enterprise limits are agreed individually and stored with the key. */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} satisfies Record<Exclude<Plan, 'enterprise'>, Limits>

export const presets = {
  reader: ['pets:read', 'inventory:read'],
  client: ['pets:read', 'inventory:read', 'orders:read', 'orders:write', 'webhooks:manage'],
  staff: [
    'pets:read',
    'pets:write',
    'inventory:read',
    'inventory:write',
    'orders:read',
    'orders:write',
    'orders:all',
    'webhooks:manage',
  ],
  admin: [...scopes],
} satisfies Record<string, Scope[]>

export type Preset = keyof typeof presets

/** An administrator's key: the first key, and the replacement when all keys are lost. */
export const administrator = {
  plan: 'enterprise',
  preset: 'admin',
  limits: { perMinute: 10_000, perDay: 10_000_000 },
} as const
