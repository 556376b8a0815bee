import type { Event, EventFilter } from '@petstore/sdk'
import { fromLocalTime } from './local-time.ts'
import { store } from './session.ts'

// Finds events by type, time, the thing that they are about and the key that caused them. The API filters by type and time; this file does
// the rest.

export interface EventSearch {
  /** One type or several; any type if empty. */
  readonly type: string | readonly EventFilter[]
  readonly from: string
  readonly to: string
  /** The thing, such as `pet 17`. */
  readonly about: string
  /** The id of the key that caused it. */
  readonly by?: string
}

/** The kinds of events about each kind of thing. */
const kindsAbout: Readonly<Record<string, readonly string[]>> = {
  pet: ['pet', 'inventory', 'order'],
  order: ['order', 'inventory'],
  category: ['category', 'pet'],
  key: ['key'],
  webhook: ['webhook'],
}

export const things = Object.keys(kindsAbout)

function isAbout(event: Event, about: string): boolean {
  const [thing = '', id] = about.split(' ')
  const { data, type } = event
  const { orderId } = event as { orderId?: number }
  const fields = { ...(data as object), orderId } as Readonly<Record<string, unknown>>
  const field = type.startsWith(`${thing}.`) ? 'id' : `${thing}Id`
  return fields[field] === Number(id)
}

const listOf = (type: EventSearch['type']): readonly string[] =>
  typeof type === 'string' ? [type].filter(Boolean) : type

const isOfType = (event: Event, type: string): boolean =>
  event.type === type || (type.endsWith('.*') && event.type.startsWith(type.slice(0, -1)))

/** Whether an event that just happened belongs to the search. */
export function matchesSearch(event: Event, search: EventSearch): boolean {
  const { from, to, about, by } = search
  const types = typesOf(search)
  const hasType = types.length === 0 || types.some((one) => isOfType(event, one))
  const time = Date.parse(event.time)
  const isInTime = !(from && time < Date.parse(from)) && !(to && time >= Date.parse(to))
  return hasType && isInTime && (!about || isAbout(event, about)) && (!by || event.keyId === Number(by))
}

/** The types to ask the service for: if none is chosen, those that can be about the thing. */
function typesOf({ type, about }: EventSearch): EventFilter[] {
  const types = listOf(type)
  if (types.length > 0) return types as EventFilter[]
  return (kindsAbout[about.split(' ')[0] ?? ''] ?? []).map((kind) => `${kind}.*` as EventFilter)
}

/** A time in the form that the service takes; nothing if the address has no valid time. */
function toTime(name: 'from' | 'to', local: string) {
  const time = fromLocalTime(local)
  return time && { [name]: time }
}

const shownMax = 50
/** A rare thing is looked for in this many pages at a time. */
const pagesMax = 5

interface FoundEvents {
  readonly items: readonly Event[]
  readonly next?: string
}

/** The newest matching events, or those after a cursor. With a `next` there may be more. */
export async function searchEvents(search: EventSearch, cursor: string, signal: AbortSignal): Promise<FoundEvents> {
  const type = typesOf(search)
  const query = {
    sort: '-id' as const,
    limit: search.about || search.by ? 100 : shownMax,
    ...(type.length > 0 && { type }),
    ...toTime('from', search.from),
    ...toTime('to', search.to),
  }
  const items: Event[] = []
  let next = cursor
  for (let page = 0; page < pagesMax && items.length < shownMax; page++) {
    const found = await store()
      .events.list({ ...query, ...(next && { cursor: next }) }, { signal })
      .firstPage()
    items.push(...found.items.filter((event) => matchesSearch(event, search)))
    if (!found.next) return { items }
    next = found.next
  }
  return { items, next }
}
