import { z } from 'zod'
import { pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { IdParam, PathId } from '../api/shapes.ts'
import { grouped } from '../lib/text.ts'
import * as shapes from './shapes.ts'
import { deliveriesKeptDays, replayedMax, replayedPerRequest, waitingMax, webhooksMax } from './shapes.ts'

const { Webhook, WebhookWithSecret, Delivery, DeliveryState } = shapes

const webhookId = PathId.meta({ description: 'The id of a webhook.', example: 1, parameter: 'WebhookId' })
const WebhookPath = z.object({ webhookId })
const DeliveryPath = z.object({
  webhookId,
  deliveryId: PathId.meta({ description: 'The id of a delivery.', example: 1, parameter: 'DeliveryId' }),
})

const common = { tag: 'Webhooks', scope: 'webhooks:manage', stability: 'beta' } as const

export const listWebhooks = defineOperation({
  id: 'listWebhooks',
  method: 'get',
  path: '/webhooks',
  ...common,
  summary: 'List webhooks',
  orScope: 'keys:manage',
  description: 'The webhooks that your key made, without their secrets. With `keys:manage`, those of every key.',
  query: z.strictObject({
    keyId: IdParam.optional().meta({
      description: 'Only webhooks of this key. One of another key needs `keys:manage`.',
      example: 1,
    }),
    ...pageParams,
  }),
  answers: { 200: { description: 'A page of webhooks.', body: z.array(Webhook) } },
})

export const createWebhook = defineOperation({
  id: 'createWebhook',
  method: 'post',
  path: '/webhooks',
  ...common,
  summary: 'Create a webhook',
  description: `Events that happen from now on are sent to the address, signed as Standard Webhooks 1.0 asks, with a secret that is shown this once. A key may have ${webhooksMax} webhooks.`,
  body: shapes.NewWebhook,
  answers: { 201: { description: 'The webhook with its secret.', body: WebhookWithSecret } },
  errors: ['webhook_limit_reached'],
  secretField: 'secret',
  etag: true,
})

export const getWebhook = defineOperation({
  id: 'getWebhook',
  method: 'get',
  path: '/webhooks/{webhookId}',
  ...common,
  summary: 'Get a webhook',
  orScope: 'keys:manage',
  description:
    'One of your webhooks; with `keys:manage`, any. Another client’s cannot be told from one that does not exist.',
  params: WebhookPath,
  answers: { 200: { description: 'The webhook.', body: Webhook } },
  errors: ['webhook_not_found'],
  etag: true,
})

export const updateWebhook = defineOperation({
  id: 'updateWebhook',
  method: 'patch',
  path: '/webhooks/{webhookId}',
  ...common,
  summary: 'Change a webhook',
  orScope: 'keys:manage',
  description:
    'A merge patch (RFC 7396). With `keys:manage` a webhook of another key can be switched off (`active: false`), and nothing else. What happens while a webhook is not active is not sent to it; deliveries that were pending wait until it is active again.',
  params: WebhookPath,
  body: shapes.WebhookPatch,
  answers: { 200: { description: 'The webhook as it now is.', body: Webhook } },
  errors: ['webhook_not_found'],
  etag: true,
})

export const rotateWebhookSecret = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/webhooks/{webhookId}/rotate-secret',
  ...common,
  summary: 'Rotate a secret',
  description:
    'Gives the webhook a new secret. For the grace time each delivery carries two signatures, one of the old secret and one of the new.',
  params: WebhookPath,
  body: shapes.RotateSecret,
  answers: { 200: { description: 'The webhook with its new secret.', body: WebhookWithSecret } },
  errors: ['webhook_not_found'],
  secretField: 'secret',
  etag: true,
})

export const pingWebhook = defineOperation({
  id: 'pingWebhook',
  method: 'post',
  path: '/webhooks/{webhookId}/ping',
  ...common,
  summary: 'Send a test event',
  description:
    'Sends an event of type `webhook.ping`, whatever the webhook asks for. Its deliveries tell what became of it.',
  params: WebhookPath,
  answers: { 202: { description: 'It is on its way.', body: Delivery } },
  errors: ['webhook_not_found', 'webhook_inactive', 'webhook_backlog_full'],
})

export const listDeliveries = defineOperation({
  id: 'listDeliveries',
  method: 'get',
  path: '/webhooks/{webhookId}/deliveries',
  ...common,
  summary: 'Read the delivery log',
  description: `Each event that was sent to the webhook, with every attempt, newest first. Kept for ${deliveriesKeptDays} days.`,
  params: WebhookPath,
  query: z.strictObject({
    state: DeliveryState.optional().meta({ description: 'Only deliveries in this state.', example: 'pending' }),
    eventType: z.string().max(64).optional().meta({
      description: 'Only events of this type.',
      example: 'webhook.ping',
    }),
    ...pageParams,
  }),
  answers: { 200: { description: 'A page of deliveries.', body: z.array(Delivery) } },
  errors: ['webhook_not_found'],
})

export const redeliver = defineOperation({
  id: 'redeliver',
  method: 'post',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
  ...common,
  summary: 'Deliver again',
  description:
    'Sends the event once more, with the same `webhook-id`, whatever became of it before. When it fails it is retried as at first.',
  params: DeliveryPath,
  answers: { 202: { description: 'It is on its way.', body: Delivery } },
  errors: ['webhook_not_found', 'delivery_not_found', 'webhook_inactive', 'webhook_backlog_full'],
})

export const replayEvents = defineOperation({
  id: 'replayEvents',
  method: 'post',
  path: '/webhooks/{webhookId}/replay',
  ...common,
  summary: 'Replay a time range',
  description: `Sends the events of a time again, and those from before the webhook was made, with their own \`webhook-id\`. At most ${grouped(replayedMax)} at once, and no more than may wait: ${grouped(waitingMax)} for a webhook. Costs a request for every ${replayedPerRequest} deliveries, and is refused whole when they are not left; then it has cost one.`,
  costs: 'work',
  params: WebhookPath,
  body: shapes.ReplayEvents,
  answers: { 202: { description: 'They are on their way.', body: shapes.Replayed } },
  errors: ['webhook_not_found', 'webhook_inactive', 'webhook_backlog_full'],
})

export const deleteWebhook = defineOperation({
  id: 'deleteWebhook',
  method: 'delete',
  path: '/webhooks/{webhookId}',
  ...common,
  summary: 'Delete a webhook',
  description: 'Nothing is sent to it any more. Its delivery log goes with it.',
  params: WebhookPath,
  answers: { 204: { description: 'The webhook is deleted.' } },
  errors: ['webhook_not_found'],
  etag: true,
})

// What is below a webhook comes before the webhook itself: whoever goes through them in order deletes it last.
export const webhookOperations = [
  listWebhooks,
  createWebhook,
  rotateWebhookSecret,
  pingWebhook,
  listDeliveries,
  redeliver,
  replayEvents,
  getWebhook,
  updateWebhook,
  deleteWebhook,
]
