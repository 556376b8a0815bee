import { z } from 'zod'
import { apiErrors, defineErrors } from '../api/errors.ts'
import { pageOf, pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { DateTime, listParam, OriginKeyId, ordered, ResponseDateTime, ResponseId, text } from '../api/shapes.ts'
import type { EventShapes } from '../events/catalogue.ts'
import type { EventFamily } from '../events/types.ts'

export const feedErrors = defineErrors({
  too_many_streams: {
    status: 409,
    title: 'The key has the maximum number of open streams.',
    advice: 'Close a stream, or follow several event types with one.',
  },
  events_pruned: {
    status: 410,
    title: 'The events right after this one have been deleted.',
    advice:
      'You missed events. Read the resources again, then continue with `after=latest` or, without `after`, from the oldest event still retained.',
  },
})

const tag = 'Events'

const previous = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({
    description: 'The previous values of the fields that changed; null if a field had none.',
    wire: { type: 'object', additionalProperties: true },
  })

const sentTypesOf = ({ types, sentOnly = [] }: EventFamily): string[] => [...types, ...sentOnly]

/** An event of this type, as examples show it. */
const exampleOf = ({ example }: EventFamily, type: string | undefined) => ({
  id: 'evt_1_2s',
  type,
  time: '2026-11-15T12:00:00.000Z',
  data: example,
})

const nameOf = ({ resource }: EventFamily): string => `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`
const idOf = (family: EventFamily): string => `EventOf${nameOf(family)}`
const refOf = (family: EventFamily): string => `#/components/schemas/${idOf(family)}`

/** The shape of the events of one resource, with its own schema in the description. */
function eventOf(family: EventFamily) {
  const types = sentTypesOf(family)
  const { data, cause } = family
  return z
    .object({
      id: z.string().meta({ description: 'Unique id of the event. Pass it as `after` to continue from here.' }),
      type: z
        .enum(types)
        .meta({ id: `${nameOf(family)}EventType`, grows: true, description: 'What happened.', example: types[0] }),
      time: ResponseDateTime.meta({ description: 'When it happened.' }),
      data,
      previous,
      ...(cause && { [cause.field]: ResponseId.optional().meta({ description: cause.description }) }),
      keyId: OriginKeyId,
    })
    .meta({
      id: idOf(family),
      description: 'An event, with the resource as it was at that time in `data`.',
      example: exampleOf(family, types[0]),
    })
}

/** `type` determines which resource `data` is. */
function createEventShape(families: readonly EventFamily[], example: unknown) {
  const [first, ...others] = families.map(eventOf)
  if (!first) throw new Error('a service without events has no feed')
  return z.discriminatedUnion('type', [first, ...others]).meta({
    id: 'Event',
    description: 'Something that happened in the shop. Types may be added: ignore those you do not know.',
    example,
    wire: {
      oneOf: families.map((family) => ({ $ref: refOf(family) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(
          families.flatMap((family) => sentTypesOf(family).map((type) => [type, refOf(family)])),
        ),
      },
    },
  })
}

/** Which events a key sees, in words. */
function describeAudiences(families: readonly EventFamily[]): string {
  const byScope = Map.groupBy(families, ({ audience: { scope, others } }) => `${scope} ${others?.scope}`)
  const phrases = [...byScope.values()].map((same) => {
    const { scope, others } = (same[0] as EventFamily).audience
    const about = same.map(({ audience }) => audience.about).join(' and ')
    return `of ${about} with \`${scope}\`${others ? ` (of ${others.about} with \`${others.scope}\` too)` : ''}`
  })
  const last = phrases.pop()
  return `Your key sees events ${phrases.join(', ')}, and ${last}. All other events are hidden from it.`
}

const after = text(64).optional()

/** The operations on events of these families. `exampleFilter` is the filter that examples use. */
export function createFeedOperations(
  families: readonly EventFamily[],
  { EventFilter }: EventShapes,
  exampleFilter: string,
) {
  const type = listParam(EventFilter, 100)
    .optional()
    .meta({
      description:
        'Only events of these types. By default all that your key may see. `webhook.ping` is sent to webhooks only.',
      example: [exampleFilter],
    })
  const whoSees = describeAudiences(families)
  const shown =
    families.find(({ resource }) => exampleFilter.startsWith(`${resource}.`)) ?? (families[0] as EventFamily)
  const EventShape = createEventShape(families, exampleOf(shown, shown.types[0]))
  const streamed = exampleOf(families[0] as EventFamily, families[0]?.types.at(-1))

  const listEvents = defineOperation({
    id: 'listEvents',
    method: 'get',
    path: '/events',
    sdk: 'events.list',
    tag,
    summary: 'List events',
    description: `Lists events, oldest first to read on, or newest first to look back. Follow the \`Link\` to see every event exactly once: \`rel="next"\` if there may be more now, otherwise \`rel="monitor"\`, to poll later; none at the end of a time range, or when looking back. A page may have fewer than \`limit\` events, or none, and still have a next page. ${whoSees}`,
    query: z
      .strictObject({
        after: after.meta({
          description:
            'Only events after the one with this id, in the sort order. `latest`: after all events so far. By default from the oldest retained event, or from the newest with `sort=-id`. A `cursor` takes precedence.',
        }),
        type,
        from: DateTime.optional().meta({
          description: 'Only events from this time on.',
          example: '2026-11-15T00:00:00Z',
        }),
        to: DateTime.optional().meta({ description: 'Only events before this time.', example: '2027-01-01T00:00:00Z' }),
        sort: z
          .enum(['id', '-id'])
          .optional()
          .meta({ description: 'The sort order; `id`, oldest first, by default.', example: 'id' }),
        ...pageParams,
      })
      .superRefine(ordered('from', 'to')),
    responses: { 200: { description: 'A page of events.', body: pageOf(EventShape) } },
    errors: [feedErrors.events_pruned],
  })

  const streamEvents = defineOperation({
    id: 'streamEvents',
    method: 'get',
    path: '/events/stream',
    sdk: 'events.follow',
    tag,
    summary: 'Stream events',
    description: `Streams events as server-sent events: each message has the \`id\` of an Event and the Event as \`data\`. When the connection ends, reconnect with the last \`id\` as \`Last-Event-ID\`: no event is missed or repeated. Counts as one request. ${whoSees}`,
    query: z.strictObject({
      after: after.meta({
        description:
          'Start after the event with this id. By default only events from now on. `Last-Event-ID` takes precedence.',
      }),
      type,
    }),
    responses: {
      200: {
        description: 'The event stream.',
        type: 'text/event-stream',
        body: z.unknown().meta({
          wire: { type: 'string' },
          example: `id: ${streamed.id}\ndata: ${JSON.stringify(streamed)}\n\n`,
        }),
      },
    },
    errors: [apiErrors.invalid_cursor, feedErrors.too_many_streams, feedErrors.events_pruned],
  })

  return { listEvents, streamEvents }
}

export type FeedOperations = ReturnType<typeof createFeedOperations>
