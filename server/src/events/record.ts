import type { Dialect, Transaction } from '../db/database.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { Value } from '../db/value.ts'
import { placeNow } from './numbering.ts'
import type { EventType } from './types.ts'

/** Listeners of this node hear how many events were just recorded and committed. */
export const recorded = 'events recorded'

export interface Happening {
  readonly type: EventType
  /** The resource as clients now see it, or as they last saw it when it is gone. Never holds a secret. */
  readonly data: object
  /** The same before the change. What is not as it was becomes `previous`; when all is as it was, nothing has happened. */
  readonly before?: object
  /** The key whose event it is, where it is not everyone's. */
  readonly keyId?: number
}

/**
 * Writes down what happens, in the transaction and by the function that does it. One statement, which travels with the others and
 * costs no round trip.
 */
export function record(tx: Transaction, { now }: { readonly now: number }, happening: Happening): void {
  recordAll(tx, now, [happening])
}

/** The same of what happens together. */
export function recordAll(tx: Transaction, now: number, happenings: readonly Happening[]): void {
  const rows: Value[][] = []
  for (const { type, data, before, keyId = null } of happenings) {
    const previous = before && changed(before, data)
    if (before && !previous) continue
    rows.push([type, keyId, JSON.stringify(data), previous ? JSON.stringify(previous) : null, now])
  }
  if (rows.length === 0) return
  tx.notifyLocally(recorded, String(rows.length))
  for (const some of byHundreds(rows)) tx.send(insertionOf(some.length, tx), some.flat())
}

/** Statements by the number of their rows: made once, for every order needs one. */
const insertions = new WeakMap<Dialect, string[]>()

function insertionOf(rows: number, tx: Transaction): string {
  const made = insertions.get(tx.dialect) ?? []
  insertions.set(tx.dialect, made)
  made[rows] ??= `INSERT INTO events (type, key_id, data, previous, at, tx)
    VALUES ${placeholders(rows, 5).replaceAll(')', `, ${placeNow(tx)})`)}`
  return made[rows]
}

/** The old values of the fields that changed, null where there was none; undefined when none did. */
function changed(before: object, after: object): Record<string, unknown> | undefined {
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
