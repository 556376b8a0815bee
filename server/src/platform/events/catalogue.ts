import { z } from 'zod'
import type { Caller } from '../api/operation.ts'
import { showOrigin } from '../api/show-origin.ts'
import { eventIdOf } from './position.ts'
import type { EventFamily, EventRow } from './types.ts'

type Viewer = Pick<Caller, 'keyId' | 'scopes'>

/** All events of a service: which types there are, who may see them, and how clients see them. */
export interface EventCatalogue {
  readonly families: readonly EventFamily[]
  /** The types that match any of the filters; all types if no filters are given. */
  matchingTypes(filters?: readonly string[]): ReadonlySet<string>
  /** Whether a caller may see an event. */
  canSee(viewer: Viewer, event: Pick<EventRow, 'type' | 'key_id'>): boolean
  /** An event as a client sees it in lists and webhooks. */
  show(event: EventRow, viewer: Viewer): ShownEvent
  /** The same as JSON text. Streams send many events, so the stored JSON is not parsed. */
  toJson(event: EventRow, id: string, viewer: Viewer): string
}

interface ShownEvent {
  readonly id: string
  readonly type: string
  readonly time: string
  readonly data: Record<string, unknown>
  readonly previous?: Record<string, unknown>
  readonly keyId?: number
}

/** The valid filters: each type, all types of a resource such as `key.*`, and `*`. */
const filtersOf = (types: readonly string[]): string[] => [
  ...types,
  ...new Set(types.map((type) => `${type.split('.')[0]}.*`)),
  '*',
]

const matchesPattern = (type: string, filter: string): boolean =>
  filter.endsWith('*') && type.startsWith(filter.slice(0, -'*'.length))

export function createEventCatalogue(families: readonly EventFamily[]): EventCatalogue {
  const familyOf = new Map(families.flatMap((family) => family.types.map((type) => [type, family])))
  const types = families.flatMap(({ types, sentOnly = [] }) => [...types, ...sentOnly])

  /** The field that names the cause, if there is one and the viewer may see it. */
  function causeField({ type, cause_id, key_id }: EventRow, { keyId, scopes }: Viewer): string | undefined {
    const cause = cause_id === null ? undefined : familyOf.get(type)?.cause
    return cause && (key_id === keyId || scopes.has(cause.othersScope)) ? cause.field : undefined
  }

  return {
    families,
    matchingTypes: (filters = ['*']) =>
      new Set(types.filter((type) => filters.some((filter) => filter === type || matchesPattern(type, filter)))),
    canSee({ keyId, scopes }, { type, key_id }) {
      const audience = familyOf.get(type)?.audience
      if (!audience || !scopes.has(audience.scope)) return false
      return audience.others === undefined || key_id === keyId || scopes.has(audience.others.scope)
    },
    show(event, viewer) {
      const field = causeField(event, viewer)
      return {
        id: eventIdOf(event),
        type: event.type,
        time: new Date(event.at).toISOString(),
        data: JSON.parse(event.data) as Record<string, unknown>,
        ...(event.previous !== null && { previous: JSON.parse(event.previous) as Record<string, unknown> }),
        ...(field !== undefined && { [field]: event.cause_id }),
        ...showOrigin(viewer, event.by_key_id),
      }
    },
    toJson(event, id, viewer) {
      const { type, at, data, previous, by_key_id, cause_id } = event
      const field = causeField(event, viewer)
      const { keyId } = showOrigin(viewer, by_key_id)
      const changed = previous === null ? '' : `,"previous":${previous}`
      const cause = field === undefined ? '' : `,"${field}":${cause_id}`
      const origin = keyId === undefined ? '' : `,"keyId":${keyId}`
      return `{"id":"${id}","type":"${type}","time":"${new Date(at).toISOString()}","data":${data}${changed}${cause}${origin}}`
    },
  }
}

/** The shapes of event types and of filters. */
export function createEventShapes(
  types: readonly string[],
  examples: { readonly filter: string; readonly type: string },
) {
  return {
    EventFilter: z.enum(filtersOf(types)).meta({
      id: 'EventFilter',
      grows: true,
      description: 'An event type, all types of one resource, or all.',
      example: examples.filter,
    }),
    /** Every type that a webhook may get. */
    EventType: z
      .enum(types)
      .meta({ id: 'EventType', grows: true, description: 'What happened.', example: examples.type }),
  }
}

export type EventShapes = ReturnType<typeof createEventShapes>
