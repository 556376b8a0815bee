import type { Caller } from '../api/operation.ts'
import type { Scope } from '../api/scopes.ts'
import type { EventRow } from '../db/tables.ts'

/** What can happen, and who may know of it: whoever has the scope and, where it says so, is the one whose event it is. */
interface Audience {
  readonly scope: Scope
  /** Only the key whose event it is sees it, unless it has this scope besides. `nobody`: no scope shows those of others. */
  readonly ownUnless?: Scope | 'nobody'
}

const catalogue: Audience = { scope: 'pets:read' }
const stock: Audience = { scope: 'inventory:read' }
const orders: Audience = { scope: 'orders:read', ownUnless: 'orders:all' }
const keys: Audience = { scope: 'keys:manage' }
const webhooks: Audience = { scope: 'webhooks:manage', ownUnless: 'nobody' }

/** Every type of event with its audience. */
export const audiences = {
  'pet.created': catalogue,
  'pet.updated': catalogue,
  'pet.deleted': catalogue,
  'category.created': catalogue,
  'category.updated': catalogue,
  'category.deleted': catalogue,
  'order.placed': orders,
  'order.updated': orders,
  'order.completed': orders,
  'order.cancelled': orders,
  'inventory.changed': stock,
  'inventory.depleted': stock,
  'key.created': keys,
  'key.updated': keys,
  'key.rotated': keys,
  'key.revoked': keys,
  'key.banned': keys,
  'key.unbanned': keys,
  'webhook.disabled': webhooks,
} as const satisfies Record<string, Audience>

export type EventType = keyof typeof audiences

export const eventTypes = Object.keys(audiences) as [EventType, ...EventType[]]

/** Whether an event exists for a caller. */
export function maySee(
  { keyId, scopes }: Pick<Caller, 'keyId' | 'scopes'>,
  { type, key_id }: Pick<EventRow, 'type' | 'key_id'>,
): boolean {
  const { scope, ownUnless }: Audience = audiences[type as EventType]
  if (!scopes.has(scope)) return false
  if (ownUnless === undefined || key_id === keyId) return true
  return ownUnless !== 'nobody' && scopes.has(ownUnless)
}
