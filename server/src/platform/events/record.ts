import type { Origin } from '../api/operation.ts'
import type { Dialect, Transaction } from '../db/database.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { Value } from '../db/value.ts'
import { currentPosition } from './numbering.ts'

/** Local channel: the number of events this node just committed. */
export const eventsRecorded = 'events_recorded'

export interface NewEvent {
  readonly type: string
  /** The resource as clients see it now, or last saw it if it was deleted. Never contains a secret. */
  readonly data: object
  /** The resource before the change. Fields that differ become `previous`; if none differ, no event is recorded. */
  readonly before?: object
  /** The key that owns the event, or what caused it. */
  readonly keyId?: number | undefined
  /** The id of what caused it, if its family names that. */
  readonly causeId?: number | undefined
}

/**
 * Records an event in the transaction that makes the change. The insert is sent with the transaction's other statements and needs no
 * round trip.
 */
export function recordEvent(tx: Transaction, origin: Origin, event: NewEvent): void {
  recordEvents(tx, origin, [event])
}

/** Records several events. */
export function recordEvents(tx: Transaction, { now, caller }: Origin, events: readonly NewEvent[]): void {
  const rows: Value[][] = []
  const byKeyId = caller?.keyId ?? null
  for (const { type, data, before, keyId = null, causeId = null } of events) {
    const previous = before && findChanges(before, data)
    if (before && !previous) continue
    const changed = previous ? JSON.stringify(previous) : null
    rows.push([type, keyId, causeId, byKeyId, JSON.stringify(data), changed, now, tx.trace ?? null])
  }
  if (rows.length === 0) return
  tx.notifyLocally(eventsRecorded, String(rows.length))
  for (const batch of byHundreds(rows)) tx.send(insertSql(batch.length, tx), batch.flat())
}

/** Insert statements by row count, cached because nearly every change uses one. */
const insertStatements = new WeakMap<Dialect, string[]>()

function insertSql(rows: number, tx: Transaction): string {
  const cached = insertStatements.get(tx.dialect) ?? []
  insertStatements.set(tx.dialect, cached)
  cached[rows] ??= `INSERT INTO events (type, key_id, cause_id, by_key_id, data, previous, at, trace, tx)
    VALUES ${placeholders(rows, 8).replaceAll(')', `, ${currentPosition(tx)})`)}`
  return cached[rows]
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
