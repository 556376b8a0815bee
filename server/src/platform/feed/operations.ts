import { z } from 'zod'
import { Category } from '../../shop/categories/operations.ts'
import { InventoryItem } from '../../shop/inventory/operations.ts'
import { PlacedOrder } from '../../shop/orders/operations.ts'
import { Pet } from '../../shop/pets/shapes.ts'
import { pageOf, pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { AnswerDateTime, AnswerId, DateTime, listParam, OriginKeyId, ordered, text } from '../api/shapes.ts'
import { EventFilterShape } from '../events/shapes.ts'
import { type SentType, sentTypes } from '../events/types.ts'
import { ApiKey } from '../keys/operations.ts'
import { Webhook } from '../webhooks/shapes.ts'

const tag = 'Events'

const previous = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({
    description: 'The previous values of the fields that changed; null if a field had none.',
    wire: { type: 'object', additionalProperties: true },
  })

const typesOf = (subject: string) =>
  sentTypes.filter((type) => type.startsWith(`${subject}.`)) as [SentType, ...SentType[]]

/** The shape of the events of one resource, with a separate schema in the description. */
function eventOf<S extends z.ZodType>(subject: string, data: S, example: unknown, more: z.ZodRawShape = {}) {
  const types = typesOf(subject)
  const name = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`
  return z
    .object({
      id: z.string().meta({ description: 'Unique id of the event. Pass it as `after` to continue from here.' }),
      type: z
        .enum(types)
        .meta({ id: `${name}EventType`, grows: true, description: 'What happened.', example: types[0] }),
      time: AnswerDateTime.meta({ description: 'When it happened.' }),
      data,
      previous,
      ...more,
      keyId: OriginKeyId,
    })
    .meta({
      id: `EventOf${name}`,
      description: 'An event, with the resource as it was at that time in `data`.',
      example: { id: 'evt_1_2s', type: types[0], time: '2026-11-15T12:00:00.000Z', data: example },
    })
}

const variants = {
  pet: eventOf('pet', Pet, { id: 1, name: 'Rex', categoryId: 1, status: 'available' }),
  category: eventOf('category', Category, { id: 1, name: 'Dogs' }),
  order: eventOf('order', PlacedOrder, PlacedOrder.meta()?.example),
  inventory: eventOf(
    'inventory',
    InventoryItem,
    { petId: 17, quantity: 4, status: 'available' },
    { orderId: AnswerId.optional().meta({ description: 'The order that caused it, if you have access to it.' }) },
  ),
  key: eventOf('key', ApiKey, ApiKey.meta()?.example),
  webhook: eventOf('webhook', Webhook, Webhook.meta()?.example),
}

const refOf = (subject: string) => `#/components/schemas/${variants[subject as keyof typeof variants].meta()?.id}`

/** `type` determines which resource `data` is. */
export const EventShape = z
  .discriminatedUnion('type', [
    variants.pet,
    variants.category,
    variants.order,
    variants.inventory,
    variants.key,
    variants.webhook,
  ])
  .meta({
    id: 'Event',
    description: 'Something that happened in the shop. Types may be added: ignore those you do not know.',
    example: variants.order.meta()?.example,
    wire: {
      oneOf: Object.keys(variants).map((subject) => ({ $ref: refOf(subject) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(sentTypes.map((type) => [type, refOf(type.split('.')[0] as string)])),
      },
    },
  })

export type Event = z.output<typeof EventShape>

const after = text(64).optional()
const type = listParam(EventFilterShape, { max: 30, form: 'repeated' })
  .optional()
  .meta({ description: 'Only events of these types. By default all that your key may see.', example: ['order.*'] })

const whoSees =
  'Your key sees events of pets and categories with `pets:read`, of stock with `inventory:read`, of the orders it placed with `orders:read` (and of all orders with `orders:all`), of keys with `keys:manage`, and of its webhooks with `webhooks:manage` (and of those of all keys with `keys:manage` as well). All other events are hidden from it.'

export const listEvents = defineOperation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  sdk: 'events.list',
  tag,
  summary: 'List events',
  description: `Lists events, oldest first to read on, or newest first to look back. Follow the \`Link\` to see every event exactly once: \`rel="next"\` if there may be more now, otherwise \`rel="monitor"\`, to poll later; none at the end of a time range, or when looking back. A page may have fewer than \`limit\` events, or none, and still have a next page. ${whoSees}`,
  stability: 'beta',
  query: z
    .strictObject({
      after: after.meta({
        description:
          'Only events after the one with this id, in the sort order. `latest`: after all events so far. By default from the oldest retained event, or from the newest with `sort=-id`.',
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
      limit: pageParams.limit,
    })
    .superRefine(ordered('from', 'to')),
  answers: { 200: { description: 'A page of events.', body: pageOf(EventShape) } },
  errors: ['events_pruned'],
})

export const streamEvents = defineOperation({
  id: 'streamEvents',
  method: 'get',
  path: '/events/stream',
  sdk: 'events.follow',
  tag,
  summary: 'Stream events',
  description: `Streams events as server-sent events: each message has the \`id\` of an Event and the Event as \`data\`. When the connection ends, reconnect with the last \`id\` as \`Last-Event-ID\`: no event is missed or repeated. Counts as one request. ${whoSees}`,
  stability: 'experimental',
  query: z.strictObject({
    after: after.meta({
      description:
        'Start after the event with this id. By default only events from now on. `Last-Event-ID` takes precedence.',
    }),
    type,
  }),
  answers: {
    200: {
      description: 'The event stream.',
      type: 'text/event-stream',
      body: z.unknown().meta({
        wire: { type: 'string' },
        example:
          'id: evt_1_2s\ndata: {"id":"evt_1_2s","type":"pet.deleted","time":"2026-11-15T12:00:00.000Z","data":{"id":1,"name":"Rex","categoryId":1,"status":"available"}}\n\n',
      }),
    },
  },
  errors: ['invalid_cursor', 'too_many_streams', 'events_pruned'],
})

export const feedOperations = [listEvents, streamEvents]
