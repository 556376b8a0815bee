import type { Scope } from '../api/scopes.ts'
import { scopes } from '../api/scopes.ts'
import type { Plan } from '../db/tables.ts'
import type { Limits } from '../limits/windows.ts'

/** Requests per plan. Enterprise quotas are agreed individually and stand on the key. */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} satisfies Record<Exclude<Plan, 'enterprise'>, Limits>

/** What the first key gets. */
export const adminLimits: Limits = { perMinute: 10_000, perDay: 10_000_000 }

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
