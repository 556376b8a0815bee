import type { Transaction } from '../db/database.ts'
import { placeholders } from '../db/many.ts'
import type { Value } from '../db/value.ts'
import { placeNow } from './log.ts'
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
export function record(tx: Transaction, { now }: { readonly now: number }, ...happenings: Happening[]): void {
  const rows = happenings.flatMap(({ type, data, before, keyId = null }): Value[][] => {
    const previous = before && changed(before, data)
    if (before && !previous) return []
    return [[type, keyId, JSON.stringify(data), previous ? JSON.stringify(previous) : null, now]]
  })
  if (rows.length === 0) return
  tx.tellHere(recorded, String(rows.length))
  tx.send(
    `INSERT INTO events (type, key_id, data, previous, at, tx)
     VALUES ${placeholders(rows.length, 5).replaceAll(')', `, ${placeNow(tx)})`)}`,
    rows.flat(),
  )
}

/** The old values of the fields that changed, null where there was none; undefined when none did. */
function changed(before: object, after: object): Record<string, unknown> | undefined {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>]
  const fields = Object.keys({ ...old, ...now }).filter((field) => !isSame(old[field], now[field]))
  return fields.length > 0 ? Object.fromEntries(fields.map((field) => [field, old[field] ?? null])) : undefined
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
