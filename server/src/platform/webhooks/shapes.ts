import { z } from 'zod'
import { Count, DateTime, multiline, ordered, ResponseDateTime, ResponseId } from '../api/shapes.ts'
import type { EventShapes } from '../events/catalogue.ts'
import { formatNumber } from '../lib/text.ts'
import { findUrlFault, urlLengthMax } from './url.ts'

/** The most webhooks per key. */
export const webhooksMax = 20
/** The most events one replay schedules. */
export const replayedMax = 1_000
/** How many replayed events cost one request. */
export const replayedPerRequest = 10
/** The most pending deliveries per webhook. */
export const waitingMax = 10_000
/** How many attempts are kept per delivery. */
export const attemptsKept = 20
/** How long deliveries are kept. */
export const deliveriesKeptDays = 30
const graceSecondsDefault = 86_400

const url = z
  .string()
  .superRefine((value, context) => {
    // The configuration may reject more; the action checks that.
    const message = findUrlFault(value, { allowPrivate: true })
    if (message) context.addIssue({ code: 'custom', message })
  })
  .meta({
    wire: { type: 'string', format: 'uri', maxLength: urlLengthMax },
    description: 'The receiver: a public https URL without user name or fragment, on port 443 or a port from 1024 on.',
    example: 'https://shop.example/hooks',
  })

const description = multiline(2_000).meta({
  description: 'What the webhook is for. May have tabs and line feeds.',
  example: 'Notifies the warehouse.',
})
const active = z.boolean().meta({ description: 'Whether events are sent.', example: true })

const DisabledReason = z.enum(['gone', 'failing']).meta({
  id: 'WebhookDisabledReason',
  grows: true,
  description:
    'Why the service deactivated a webhook: its receiver returned 410 (`gone`), or failed for 5 days (`failing`).',
  example: 'gone',
})

export const RotateWebhook = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(graceSecondsDefault)
      .meta({
        description: `How long the old secret also signs; ${formatNumber(graceSecondsDefault)} by default.`,
      }),
  })
  .prefault({})
  .meta({
    id: 'RotateWebhook',
    description: 'How to rotate the secret of a webhook.',
    example: { graceSeconds: 3_600 },
  })

export type WebhookRotation = z.output<typeof RotateWebhook>

export const DeliveryState = z.enum(['pending', 'delivered', 'failed']).meta({
  id: 'DeliveryState',
  grows: true,
  description: 'The state of a delivery: still being attempted, accepted with a 2xx, or given up.',
  example: 'delivered',
})

const DeliveryAttempt = z
  .object({
    time: ResponseDateTime.meta({ description: 'When the attempt started.' }),
    status: z
      .int()
      .min(100)
      .max(999)
      .nullable()
      .meta({ description: 'The status of the response; null if there was none.' }),
    latencyMs: Count.meta({ description: 'How long the attempt took.' }),
    error: z.string().optional().meta({ description: 'Why there was no response.' }),
    response: z.string().optional().meta({ description: 'The first KiB of the response body.' }),
    headers: z.record(z.string(), z.string()).optional().meta({
      description: 'The request headers, without the signature. Only when a single delivery is read.',
    }),
  })
  .meta({
    id: 'DeliveryAttempt',
    description: 'A delivery attempt.',
    example: { time: '2026-11-15T12:00:00.000Z', status: 204, latencyMs: 42 },
  })

export const Replayed = z
  .object({
    scheduled: z.int().min(0).max(replayedMax).meta({ description: 'How many deliveries were scheduled.' }),
    next: z
      .string()
      .optional()
      .meta({ description: 'Present if there may be more: the id of an event, to send as `after`.' }),
  })
  .meta({ id: 'Replayed', description: 'The result of a replay.', example: { scheduled: 3 } })

/** Events that examples show: what a webhook subscribes to, and a type that it gets. */
export interface WebhookExamples {
  readonly events: readonly string[]
  readonly type: string
}

/** The shapes that depend on the event types of the service. */
export function createWebhookShapes({ EventFilter, EventType }: EventShapes, examples: WebhookExamples) {
  const wanted = z.array(EventFilter).min(1).max(50)
  const events = wanted.meta({
    description: `Event types, patterns such as \`${examples.events[0]}\`, or \`*\` for all. The webhook gets only events its key may see.`,
    example: examples.events,
  })

  const NewWebhook = z
    .strictObject({ url, events, description: description.optional(), active: active.optional() })
    .meta({
      id: 'NewWebhook',
      description: 'The fields to create a webhook. It is active by default.',
      example: { url: 'https://shop.example/hooks', events: examples.events },
    })

  const WebhookPatch = z
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

  const webhookFields = {
    id: ResponseId.meta({ description: 'Assigned on creation.' }),
    keyId: ResponseId.meta({ description: 'The key that created it.' }),
    url: z.string().meta({ description: 'The receiver.' }),
    events: wanted.meta({ description: 'Event types and patterns.' }),
    description: z.string().optional(),
    active,
    createdAt: ResponseDateTime,
    disabledReason: DisabledReason.optional(),
  }

  const example = {
    id: 1,
    keyId: 2,
    url: 'https://shop.example/hooks',
    events: examples.events,
    active: true,
    createdAt: '2026-11-15T12:00:00.000Z',
  }

  const Webhook = z
    .object(webhookFields)
    .meta({ id: 'Webhook', description: 'A receiver of events. Belongs to the key that created it.', example })

  const WebhookWithSecret = z
    .object({
      ...webhookFields,
      secret: z.string().meta({ description: 'Returned only in this response and its idempotent replays.' }),
    })
    .meta({
      id: 'WebhookWithSecret',
      extends: Webhook,
      description: 'A webhook with its signing secret, which is shown only once.',
      example: { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=' },
    })

  const Delivery = z
    .object({
      id: ResponseId.meta({ description: 'Unique delivery identifier.' }),
      eventId: z.string().meta({ description: 'The id of the event, which is also sent in the header `webhook-id`.' }),
      type: EventType.meta({ description: 'The type of the event.' }),
      state: DeliveryState,
      createdAt: ResponseDateTime,
      attempts: z
        .array(DeliveryAttempt)
        .max(attemptsKept)
        .meta({ description: `The latest ${attemptsKept} attempts, oldest first.` }),
      nextAttemptAt: ResponseDateTime.optional().meta({ description: 'When the next attempt is due.' }),
      payload: z.string().optional().meta({
        description:
          'The request body. Only when a single delivery is read, while the event is retained and your key can see it.',
      }),
    })
    .meta({
      id: 'Delivery',
      description: 'The delivery of an event to a webhook.',
      example: {
        id: 1,
        eventId: 'evt_1f_2k',
        type: examples.type,
        state: 'delivered',
        createdAt: '2026-11-15T12:00:00.000Z',
        attempts: [{ time: '2026-11-15T12:00:00.000Z', status: 204, latencyMs: 42 }],
      },
    })

  const ReplayEvents = z
    .strictObject({
      from: DateTime.meta({ description: 'Events from this time on.', example: '2026-11-15T00:00:00Z' }),
      to: DateTime.optional().meta({ description: 'Events before this time; now by default.' }),
      events: wanted.optional().meta({ description: 'Only these types, among those the webhook subscribes to.' }),
      after: z.string().max(64).optional().meta({ description: 'The `next` of the previous response, to continue.' }),
      limit: z
        .int()
        .min(1)
        .max(replayedMax)
        .optional()
        .meta({ description: `The most events to send; ${formatNumber(replayedMax)} by default.` }),
    })
    .superRefine(ordered('from', 'to'))
    .meta({
      id: 'ReplayEvents',
      description: 'Which events to send again.',
      example: { from: '2026-11-15T00:00:00Z' },
    })

  return { NewWebhook, WebhookPatch, Webhook, WebhookWithSecret, Delivery, ReplayEvents, EventFilter, example }
}

export type WebhookShapes = ReturnType<typeof createWebhookShapes>
export type NewWebhookFields = z.output<WebhookShapes['NewWebhook']>
export type WebhookChanges = z.output<WebhookShapes['WebhookPatch']>
export type Replay = z.output<WebhookShapes['ReplayEvents']>
