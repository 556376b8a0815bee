import type { Origin } from '../api/operation.ts'
import type { Insert, Transaction } from '../db/database.ts'
import { currentPosition } from './numbering.ts'

/** Local channel: the number of events this node just committed. */
export const eventsRecorded = 'events_recorded'

export interface NewEvent {
  readonly type: string
  /** The resource as clients see it now, or last saw it if it was deleted. Never contains a secret. */
  readonly data: object
  /** The resource before the change. Fields that differ become `previous`; if none differ, no event is recorded. */
  readonly before?: object
  /** The key that owns the event or its cause. */
  readonly keyId?: number | undefined
  /** The id of the cause, if the event's family has one. */
  readonly causeId?: number | undefined
}

/**
 * Records an event in the transaction that makes the change. The insert is sent with the transaction's other statements and needs no
 * extra round trip.
 */
export function recordEvent(tx: Transaction, origin: Origin, event: NewEvent): void {
  recordEvents(tx, origin, [event])
}

/** A row of the log. */
interface EventRow {
  readonly type: string
  readonly key_id: number | null
  readonly cause_id: number | null
  readonly by_key_id: number | null
  /** JSON, like `previous`. */
  readonly data: string
  readonly previous: string | null
  readonly at: number
  readonly trace: string | null
}

const intoEvents: Insert<EventRow> = {
  table: 'events',
  columns: ['type', 'key_id', 'cause_id', 'by_key_id', 'data', 'previous', 'at', 'trace'],
  computed: (db) => ({ tx: currentPosition(db) }),
}

export function recordEvents(tx: Transaction, { now, caller }: Origin, events: readonly NewEvent[]): void {
  const rows: EventRow[] = []
  for (const { type, data, before, keyId = null, causeId = null } of events) {
    const changed = before && findChanges(before, data)
    if (before && !changed) continue
    rows.push({
      type,
      key_id: keyId,
      cause_id: causeId,
      by_key_id: caller?.keyId ?? null,
      data: JSON.stringify(data),
      previous: changed ? JSON.stringify(changed) : null,
      at: now,
      trace: tx.trace ?? null,
    })
  }
  if (rows.length === 0) return
  tx.notifyLocally(eventsRecorded, String(rows.length))
  tx.insert(intoEvents, rows)
}

/** The old values of changed fields, null for a field that was absent; undefined if nothing changed. */
function findChanges(before: object, after: object): Record<string, unknown> | undefined {
  const old = before as Record<string, unknown>
  const now = after as Record<string, unknown>
  let previous: Record<string, unknown> | undefined
  for (const field in { ...old, ...now }) {
    if (isSame(old[field], now[field])) continue
    previous ??= {}
    previous[field] = old[field] ?? null
  }
  return previous
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
