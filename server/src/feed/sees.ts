import type { Caller } from '../api/operation.ts'
import type { EventRow } from '../db/tables.ts'
import { type EventType, eventTypes, visibility } from '../events/types.ts'

/** A type, all types of a resource such as `order.*`, or `*`. */
export type EventFilter = EventType | `${string}.*` | '*'

/** The types that filters let through; all where there is none. */
export const typesOf = (filters: readonly EventFilter[] = ['*']): ReadonlySet<string> =>
  new Set(eventTypes.filter((type) => filters.some((filter) => filter === type || isWithin(type, filter))))

const isWithin = (type: string, filter: string): boolean =>
  filter.endsWith('*') && type.startsWith(filter.slice(0, -'*'.length))

/** Whether an event exists for a caller that asks for these types. */
export function createSight({ scopes, keyId }: Caller, types: ReadonlySet<string>): (event: EventRow) => boolean {
  const shown = new Map(
    eventTypes.filter((type) => types.has(type)).map((type) => [type as string, visibility({ scopes }, type)]),
  )
  return ({ type, key_id }) => {
    const part = shown.get(type)
    return part === 'all' || (part === 'own' && key_id === keyId)
  }
}
