import { z } from 'zod'
import { AnswerDateTime, AnswerId, DateTime, ordered, text } from '../api/shapes.ts'
import { eventFilters } from '../events/filter.ts'
import { grouped } from '../lib/text.ts'
import { urlFault, urlLengthMax } from './url.ts'

/** So many a key may have. */
export const webhooksMax = 20
/** So many events a replay schedules at once. */
export const replayedMax = 1_000
/** So many of them cost a request. */
export const replayedPerRequest = 10
/** So many deliveries may wait for one webhook. */
export const waitingMax = 10_000
/** How long what became of a delivery can be read. */
export const deliveriesKeptDays = 30
const graceSecondsDefault = 86_400

const url = z
  .string()
  .superRefine((value, context) => {
    // What else an operator may refuse is looked at where it is known.
    const message = urlFault(value, { allowPrivate: true })
    if (message) context.addIssue({ code: 'custom', message })
  })
  .meta({
    wire: { type: 'string', format: 'uri', maxLength: urlLengthMax },
    description:
      'Where events are sent: an https address of the public internet, without a user and a fragment, on port 443 or one from 1024 on.',
    example: 'https://shop.example/hooks',
  })

const filters: ReadonlySet<string> = new Set(eventFilters)
const filter = z
  .string()
  .refine((text) => filters.has(text), 'must be a type of event, all of a resource such as order.*, or *')
const wanted = z
  .array(filter.meta({ wire: { type: 'string', pattern: '^(\\*|[a-z]+\\.(\\*|[a-z]+))$' } }))
  .min(1)
  .max(50)
const events = wanted.meta({
  description: 'Types of events, or `order.*` for all of a kind, or `*` for all. It gets those that its key may see.',
  example: ['order.*', 'inventory.depleted'],
})

const description = text(2_000, 0).meta({ description: 'What it is for.', example: 'Tells the warehouse.' })
const active = z.boolean().meta({ description: 'Whether events are sent.', example: true })

export const NewWebhook = z
  .strictObject({ url, events, description: description.optional(), active: active.optional() })
  .meta({
    id: 'NewWebhook',
    description: 'What is sent to make a webhook. It is active unless said otherwise.',
    example: { url: 'https://shop.example/hooks', events: ['order.*', 'inventory.depleted'] },
  })

export type NewWebhookFields = z.output<typeof NewWebhook>

export const WebhookPatch = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    description: description.nullable().optional(),
    active: active.optional(),
  })
  .meta({
    id: 'WebhookPatch',
    description: 'The fields to change. `null` removes the description.',
    example: { events: ['*'] },
  })

export type WebhookChanges = z.output<typeof WebhookPatch>

const DisabledReason = z.enum(['gone', 'failing']).meta({
  id: 'WebhookDisabledReason',
  description: 'Why a webhook was switched off: its receiver answered 410 (`gone`), or failed for 5 days (`failing`).',
  example: 'gone',
})

const webhookFields = {
  id: AnswerId.meta({ description: 'Assigned on creation.' }),
  keyId: AnswerId.meta({ description: 'The key that made it.' }),
  url: z.string().meta({ description: 'Where events are sent.' }),
  events: z.array(z.string()).meta({ description: 'Types of events, or `order.*`, or `*`.' }),
  description: z.string().optional(),
  active,
  createdAt: AnswerDateTime,
  disabledReason: DisabledReason.optional(),
}

const example = {
  id: 1,
  keyId: 2,
  url: 'https://shop.example/hooks',
  events: ['order.*', 'inventory.depleted'],
  active: true,
  createdAt: '2026-11-15T12:00:00.000Z',
}

export const Webhook = z
  .object(webhookFields)
  .meta({ id: 'Webhook', description: 'Where events are sent to. Belongs to the key that made it.', example })

export const WebhookWithSecret = z
  .object({
    ...webhookFields,
    secret: z.string().meta({ description: 'Shown in this answer and its replays only.' }),
  })
  .meta({
    id: 'WebhookWithSecret',
    extends: 'Webhook',
    description: 'A webhook with the secret that signs what it sends, which is shown this once.',
    example: { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=' },
  })

export const RotateSecret = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(graceSecondsDefault)
      .meta({
        description: `How long the old secret signs too; ${grouped(graceSecondsDefault)} unless given.`,
      }),
  })
  .prefault({})
  .meta({ id: 'RotateSecret', description: 'How to rotate a secret.', example: { graceSeconds: 3_600 } })

export type SecretRotation = z.output<typeof RotateSecret>

export const DeliveryState = z.enum(['pending', 'delivered', 'failed']).meta({
  id: 'DeliveryState',
  description: 'What became of a delivery: still being tried, taken with a 2xx, or given up.',
  example: 'delivered',
})

const DeliveryAttempt = z
  .object({
    time: AnswerDateTime.meta({ description: 'When it began.' }),
    status: z.int().nullable().meta({ description: 'The status of the answer; null when there was none.' }),
    latencyMs: z.int().min(0).meta({ description: 'How long it took.' }),
    error: z.string().optional().meta({ description: 'Why there was no answer.' }),
    response: z.string().optional().meta({ description: 'How the answer began: its first KiB.' }),
  })
  .meta({
    id: 'DeliveryAttempt',
    description: 'One attempt to deliver.',
    example: { time: '2026-11-15T12:00:00.000Z', status: 204, latencyMs: 42 },
  })

export const Delivery = z
  .object({
    id: AnswerId.meta({ description: 'Unique delivery identifier.' }),
    eventId: z.string().meta({ description: 'The id of the event, which is also the header `webhook-id`.' }),
    eventType: z.string().meta({ description: 'The type of the event.' }),
    state: DeliveryState,
    createdAt: AnswerDateTime,
    attempts: z.array(DeliveryAttempt).meta({ description: 'The latest 20 attempts, oldest first.' }),
    nextAttemptAt: AnswerDateTime.optional().meta({ description: 'When it is tried next.' }),
  })
  .meta({
    id: 'Delivery',
    description: 'An event on its way to a webhook.',
    example: {
      id: 1,
      eventId: 'evt_1f_2k',
      eventType: 'order.placed',
      state: 'delivered',
      createdAt: '2026-11-15T12:00:00.000Z',
      attempts: [{ time: '2026-11-15T12:00:00.000Z', status: 204, latencyMs: 42 }],
    },
  })

export const ReplayEvents = z
  .strictObject({
    from: DateTime.meta({ description: 'Events from this time on.', example: '2026-11-15T00:00:00Z' }),
    to: DateTime.optional().meta({ description: 'Events before this time; up to now unless given.' }),
    events: wanted.optional().meta({ description: 'Only these, of those the webhook gets.' }),
    after: z.string().max(64).optional().meta({ description: 'The `next` of the answer before, to go on.' }),
    limit: z
      .int()
      .min(1)
      .max(replayedMax)
      .optional()
      .meta({ description: `At most so many; ${grouped(replayedMax)} unless given.` }),
  })
  .superRefine(ordered('from', 'to'))
  .meta({
    id: 'ReplayEvents',
    description: 'Which events to send again.',
    example: { from: '2026-11-15T00:00:00Z' },
  })

export type Replay = z.output<typeof ReplayEvents>

export const Replayed = z
  .object({
    scheduled: z.int().min(0).meta({ description: 'How many deliveries were scheduled.' }),
    next: z.string().optional().meta({ description: 'There may be more: send it as `after` to go on.' }),
  })
  .meta({ id: 'Replayed', description: 'What a replay has scheduled.', example: { scheduled: 3 } })
