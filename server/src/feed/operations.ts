import { z } from 'zod'
import { pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { AnswerDateTime, listParam, text } from '../api/shapes.ts'
import { Category } from '../categories/operations.ts'
import { eventFilters } from '../events/filter.ts'
import { type EventType, eventTypes } from '../events/types.ts'
import { InventoryItem } from '../inventory/operations.ts'
import { ApiKey } from '../keys/operations.ts'
import { Order } from '../orders/operations.ts'
import { Pet } from '../pets/operations.ts'
import { Webhook } from '../webhooks/shapes.ts'

const tag = 'Events'

const previous = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({
    description: 'Old values of the fields that changed; null: there was none.',
    wire: { type: 'object', additionalProperties: true },
  })

const typesOf = (subject: string) =>
  eventTypes.filter((type) => type.startsWith(`${subject}.`)) as [EventType, ...EventType[]]

/** The events of one kind of resource, which has a name of its own in the description. */
function eventOf<S extends z.ZodType>(subject: string, data: S, example: unknown) {
  const types = typesOf(subject)
  const name = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`
  return z
    .object({
      id: z.string().meta({ description: 'Unique event identifier, to read on from.' }),
      type: z.enum(types).meta({ id: `${name}EventType`, description: 'What happened.', example: types[0] }),
      time: AnswerDateTime.meta({ description: 'When it happened.' }),
      data,
      previous,
    })
    .meta({
      id: `EventOf${name}`,
      description: 'What happened, and `data` as it was then.',
      example: { id: 'evt_1_2s', type: types[0], time: '2026-11-15T12:00:00.000Z', data: example },
    })
}

const variants = {
  pet: eventOf('pet', Pet, { id: 1, name: 'Rex', categoryId: 1, status: 'available' }),
  category: eventOf('category', Category, { id: 1, name: 'Dogs' }),
  order: eventOf('order', Order, { id: 5, petId: 18, quantity: 1, complete: false }),
  inventory: eventOf('inventory', InventoryItem, { petId: 17, quantity: 4, status: 'available' }),
  key: eventOf('key', ApiKey, ApiKey.meta()?.example),
  webhook: eventOf('webhook', Webhook, Webhook.meta()?.example),
}

const refOf = (subject: string) => `#/components/schemas/${variants[subject as keyof typeof variants].meta()?.id}`

/** The type says which kind of resource `data` is. */
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
    description: 'Something that happened in the shop. Types may be added: pass over those you do not know.',
    example: variants.order.meta()?.example,
    wire: {
      oneOf: Object.keys(variants).map((subject) => ({ $ref: refOf(subject) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(eventTypes.map((type) => [type, refOf(type.split('.')[0] as string)])),
      },
    },
  })

export type Event = z.output<typeof EventShape>

/** What can be asked for: a type, all of a resource, or all there are. */
export const EventFilterShape = z
  .enum(eventFilters)
  .meta({ id: 'EventFilter', description: 'A type of event, all of one resource, or all.', example: 'order.*' })

const after = text(64).optional()
const type = listParam(EventFilterShape, { max: 30, form: 'repeated' })
  .optional()
  .meta({ description: 'Only events of these types; all that your key may see unless given.', example: ['order.*'] })

const whoSees =
  'Your key sees events of pets and categories with `pets:read`, of the stock with `inventory:read`, of its own orders with `orders:read` (of everyone’s with `orders:all` besides), of keys with `keys:manage`, and of its own webhooks with `webhooks:manage`. Others do not exist for it.'

export const listEvents = defineOperation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  sdk: 'events.list',
  tag,
  summary: 'Read what happened',
  description: `What happened, oldest first. Whoever follows the \`Link\` sees every event exactly once: \`rel="next"\` when there may be more now, else \`rel="monitor"\`, to be asked again later. A page may hold fewer than \`limit\`, or none, and still have a next one. ${whoSees}`,
  stability: 'beta',
  query: z.strictObject({
    after: after.meta({
      description:
        'The id of an event: only what comes after it. `latest`: only what happens from now on. Unless given, from the oldest event that is kept.',
    }),
    type,
    limit: pageParams.limit,
  }),
  answers: { 200: { description: 'A page of events.', body: z.array(EventShape) } },
  errors: ['events_pruned'],
})

export const streamEvents = defineOperation({
  id: 'streamEvents',
  method: 'get',
  path: '/events/stream',
  sdk: 'events.follow',
  tag,
  summary: 'Follow what happens',
  description: `Server-sent events without end: each message has the \`id\` of an Event and the Event itself as \`data\`. When the connection ends, open it again with the last \`id\` as \`Last-Event-ID\`: nothing is missed and nothing comes twice. Counts as one request. ${whoSees}`,
  stability: 'experimental',
  query: z.strictObject({
    after: after.meta({
      description:
        'The id of an event: also what came after it. Only what happens from now on unless given. `Last-Event-ID` goes before it.',
    }),
    type,
  }),
  answers: {
    200: {
      description: 'The stream.',
      type: 'text/event-stream',
      body: z.unknown().meta({
        wire: { type: 'string' },
        example:
          'id: evt_1_2s\ndata: {"id":"evt_1_2s","type":"pet.deleted","time":"2026-11-15T12:00:00.000Z","data":{"id":1}}\n\n',
      }),
    },
  },
  errors: ['invalid_cursor', 'too_many_streams', 'events_pruned'],
})

export const feedOperations = [listEvents, streamEvents]
