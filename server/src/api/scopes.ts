/**
 * What a key may do. `orders:*` and `webhooks:manage` reach only what the key itself made; `orders:all` reaches everyone's orders.
 * No operation asks for `webhooks:manage` yet.
 */
export const scopes = [
  'pets:read',
  'pets:write',
  'inventory:read',
  'inventory:write',
  'orders:read',
  'orders:write',
  'orders:all',
  'webhooks:manage',
  'keys:manage',
] as const

export type Scope = (typeof scopes)[number]
