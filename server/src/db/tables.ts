// The rows that features share. Times are milliseconds since the epoch, booleans 0 or 1.

export type PetStatus = 'available' | 'pending' | 'sold'
export type Bit = 0 | 1

export interface CategoryRow {
  id: number
  name: string
  description: string | null
}

export interface PetRow {
  id: number
  name: string
  category_id: number
  status: PetStatus
  /** The status was set by hand and differs from what the stock implies. It stays until it is set back by hand. */
  held: Bit
}

export interface InventoryRow {
  /** The id of the pet. */
  id: number
  quantity: number
  status: PetStatus
}

export interface OrderRow {
  id: number
  key_id: number
  pet_id: number
  quantity: number
  ship_date: number | null
  complete: Bit
  created_at: number
}

export type OrderEventKind = 'placed' | 'changed' | 'completed' | 'cancelled'

export interface OrderHistoryRow {
  id: number
  kind: OrderEventKind
  /** JSON. */
  changes: string
  at: number
}

/** An event. Its position in the log is (tx, id). */
export interface EventRow {
  id: number
  tx: number
  type: string
  /** The key that the event belongs to; null if it is for everyone. */
  key_id: number | null
  /** JSON. */
  data: string
  /** The previous values as JSON, if something changed. */
  previous: string | null
  at: number
}

export const stockCauses = [
  'registered',
  'set',
  'adjusted',
  'removed',
  'ordered',
  'order changed',
  'cancelled',
] as const
export type StockCause = (typeof stockCauses)[number]

export interface StockMovementRow {
  id: number
  delta: number
  cause: StockCause
  order_id: number | null
  reason: string | null
  at: number
}

export type Plan = 'free' | 'pro' | 'business' | 'enterprise'

export interface ApiKeyRow {
  id: number
  name: string
  /** The first characters of the current secret, for display. */
  prefix: string
  plan: Plan
  per_minute: number
  per_day: number
  /** Space-separated. */
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

/** The current ban, if there is one. */
export interface BanColumns {
  ban_until: number | null
  ban_level: number | null
}

export interface UsageRow {
  starts_at: number
  allowed: number
  limited: number
  errors: number
}

export interface WebhookRow {
  id: number
  key_id: number
  url: string
  /** Event types and patterns, space-separated. */
  events: string
  description: string | null
  active: Bit
  disabled_reason: 'gone' | 'failing' | null
  secret: string
  /** The previous secret, which also signs until it expires. */
  old_secret: string | null
  old_secret_until: number | null
  /** The position in the log after which its events start. */
  start_tx: number
  start_id: number
  /** Too many deliveries are pending: its events stay in the log after that position until there is room. */
  held_back: Bit
  /** The first failure since the last success. */
  failing_since: number | null
  created_at: number
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface DeliveryRow {
  id: number
  webhook_id: number
  event_id: string
  event_type: string
  /** What is sent, if it is not an event of the log. */
  payload: string | null
  state: DeliveryState
  /** When it is tried next; during an attempt, when another node may take it over. */
  due_at: number | null
  /** Failed attempts since it was created or restarted. */
  failures: number
  /** How often it was taken or restarted: identifies the node that has it now. */
  claims: number
  created_at: number
}

export interface DeliveryAttemptRow {
  delivery_id: number
  at: number
  status: number | null
  latency_ms: number
  error: string | null
  response: string | null
}
