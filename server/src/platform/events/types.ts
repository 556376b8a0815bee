import type { Caller } from '../api/operation.ts'
import type { Scope } from '../api/scopes.ts'

/** An event in the log. Its position is (tx, id). */
export interface EventRow {
  id: number
  tx: number
  type: string
  /** The key that owns the event; of a stock event, the key that owns the order that caused it. Null if there is none. */
  key_id: number | null
  /** The order that caused a stock event. */
  order_id: number | null
  /** The key that made the change; null if the service did, or an earlier release. */
  by_key_id: number | null
  /** JSON. */
  data: string
  /** JSON; null if there was no earlier state. */
  previous: string | null
  at: number
}

export interface TracedEventRow extends EventRow {
  /** The `traceparent` of the change; null if no trace was recorded. */
  trace: string | null
}

/** Who may see an event type. */
interface Audience {
  readonly scope: Scope
  /** If set, a key sees only its own events; with this scope it also sees those of other keys. */
  readonly othersScope?: Scope
}

const catalogue: Audience = { scope: 'pets:read' }
const stock: Audience = { scope: 'inventory:read' }
const orders: Audience = { scope: 'orders:read', othersScope: 'orders:all' }
const keys: Audience = { scope: 'keys:manage' }
const webhooks: Audience = { scope: 'webhooks:manage', othersScope: 'keys:manage' }

/** Every event type and who may see it. */
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

/** Sent to a webhook to test it, and never in the log. */
export const pingType = 'webhook.ping'
/** A type in the log, or the ping. */
export type SentType = EventType | typeof pingType

export const eventTypes = Object.keys(audiences) as [EventType, ...EventType[]]

/** Everything that a webhook may get: the types in the log, and the ping. */
export const sentTypes = [...eventTypes, pingType] as const

/** Whether a caller may see an event. */
export function canSee(
  { keyId, scopes }: Pick<Caller, 'keyId' | 'scopes'>,
  { type, key_id }: Pick<EventRow, 'type' | 'key_id'>,
): boolean {
  const { scope, othersScope }: Audience = audiences[type as EventType]
  if (!scopes.has(scope)) return false
  if (othersScope === undefined || key_id === keyId) return true
  return scopes.has(othersScope)
}
