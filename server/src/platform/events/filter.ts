import { type EventType, eventTypes } from './types.ts'

/** A type, all types of a resource such as `order.*`, or `*`. */
export type EventFilter = EventType | `${string}.*` | '*'

const resources = [...new Set(eventTypes.map((type) => type.split('.')[0]))]

/** All valid filters. */
export const eventFilters: readonly EventFilter[] = [
  ...eventTypes,
  ...resources.map((resource): EventFilter => `${resource}.*`),
  '*',
]

/** The event types that match any of the filters; all types if no filters are given. */
export const matchingTypes = (filters: readonly string[] = ['*']): ReadonlySet<string> =>
  new Set(eventTypes.filter((type) => filters.some((filter) => filter === type || matchesPattern(type, filter))))

const matchesPattern = (type: string, filter: string): boolean =>
  filter.endsWith('*') && type.startsWith(filter.slice(0, -'*'.length))
