import { type EventType, eventTypes } from './types.ts'

/** A type, all types of a resource such as `order.*`, or `*`. */
export type EventFilter = EventType | `${string}.*` | '*'

const resources = [...new Set(eventTypes.map((type) => type.split('.')[0]))]

/** Every filter that there is. */
export const eventFilters: readonly EventFilter[] = [
  ...eventTypes,
  ...resources.map((resource): EventFilter => `${resource}.*`),
  '*',
]

/** The types that filters let through; all where there is none. */
export const typesOf = (filters: readonly string[] = ['*']): ReadonlySet<string> =>
  new Set(eventTypes.filter((type) => filters.some((filter) => filter === type || isWithin(type, filter))))

const isWithin = (type: string, filter: string): boolean =>
  filter.endsWith('*') && type.startsWith(filter.slice(0, -'*'.length))
