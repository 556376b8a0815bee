import { z } from 'zod'
import { defineErrors } from '../api/errors.ts'
import { pageOf, pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { IdParam, listParam } from '../api/shapes.ts'
import { defineEvents } from '../events/types.ts'
import { formatNumber } from '../lib/text.ts'
import {
  DeliveryState,
  deliveriesKeptDays,
  Replayed,
  RotateWebhook,
  replayedMax,
  replayedPerRequest,
  type WebhookShapes,
  waitingMax,
  webhooksMax,
} from './shapes.ts'

export const webhookErrors = defineErrors({
  webhook_not_found: {
    status: 404,
    title: 'You have no webhook with this id.',
    advice: 'List your webhooks to find its id. Webhooks belong to the key that created them.',
  },
  delivery_not_found: {
    status: 404,
    title: 'The webhook has no delivery with this id.',
    advice: 'List the deliveries of the webhook to find its id. They are retained for 30 days.',
  },
  webhook_inactive: {
    status: 409,
    title: 'The webhook is inactive, so nothing is sent to it.',
    advice: 'Activate it with PATCH `{"active": true}` first. `disabledReason` says why it was disabled.',
  },
  webhook_backlog_full: {
    status: 409,
    title: 'The webhook has too many pending deliveries to add more.',
    advice:
      'Wait until some are delivered or have failed. Events that happen meanwhile are retained and sent when there is room.',
  },
  webhook_limit_reached: {
    status: 409,
    title: 'The key has the maximum number of webhooks.',
    advice: 'Delete one that you do not need, or subscribe one webhook to several event types.',
  },
})

export const webhookEvents = defineEvents('webhook', ['disabled', 'ping'])

const webhookId = IdParam.meta({ description: 'The id of a webhook.', example: 1, parameter: 'WebhookId' })
const WebhookPath = z.object({ webhookId })
const DeliveryPath = z.object({
  webhookId,
  deliveryId: IdParam.meta({ description: 'The id of a delivery.', example: 1, parameter: 'DeliveryId' }),
})

/** An attempt that changes no state does not make the ETag stale for If-Match, nor does the payload, which depends on who reads. */
const deliveryEtag = { derived: ['attempts', 'nextAttemptAt', 'payload'] }

const common = { tag: 'Webhooks', scope: 'webhooks:manage' } as const

export function createWebhookOperations(shapes: WebhookShapes) {
  const { Webhook, WebhookWithSecret, Delivery } = shapes

  const listWebhooks = defineOperation({
    id: 'listWebhooks',
    method: 'get',
    path: '/webhooks',
    sdk: 'webhooks.list',
    ...common,
    summary: 'List webhooks',
    orScope: 'keys:manage',
    description: 'Lists the webhooks of your key, without their secrets. With `keys:manage`, the webhooks of all keys.',
    query: z.strictObject({
      keyId: IdParam.optional().meta({
        description: 'Only webhooks of this key. Another key than your own requires `keys:manage`.',
        example: 1,
      }),
      ...pageParams,
    }),
    responses: { 200: { description: 'A page of webhooks.', body: pageOf(Webhook) } },
  })

  const createWebhook = defineOperation({
    id: 'createWebhook',
    method: 'post',
    path: '/webhooks',
    sdk: 'webhooks.create',
    ...common,
    summary: 'Create a webhook',
    description: `Creates a webhook: new events are sent to its URL, signed according to Standard Webhooks 1.0 with a secret that is shown only once. A key may have ${webhooksMax} webhooks.`,
    body: shapes.NewWebhook,
    responses: { 201: { description: 'The webhook with its secret.', body: WebhookWithSecret } },
    errors: [webhookErrors.webhook_limit_reached],
    secretField: 'secret',
    sends: { union: 'Event', to: '{$request.body#/url}' },
    etag: true,
  })

  const getWebhook = defineOperation({
    id: 'getWebhook',
    method: 'get',
    path: '/webhooks/{webhookId}',
    sdk: 'webhooks.get',
    ...common,
    summary: 'Get a webhook',
    orScope: 'keys:manage',
    description:
      'Returns one of your webhooks or, with `keys:manage`, any webhook. Another client’s webhook is reported as not found.',
    params: WebhookPath,
    responses: { 200: { description: 'The webhook.', body: Webhook } },
    errors: [webhookErrors.webhook_not_found],
    etag: true,
  })

  const updateWebhook = defineOperation({
    id: 'updateWebhook',
    method: 'patch',
    path: '/webhooks/{webhookId}',
    sdk: 'webhooks.update',
    ...common,
    summary: 'Change a webhook',
    orScope: 'keys:manage',
    description:
      'Changes a webhook by a merge patch (RFC 7396). With `keys:manage`, the only change allowed to another key’s webhook is to deactivate it (`active: false`). Events that occur while a webhook is inactive are not sent to it; its pending deliveries wait until it is active again.',
    params: WebhookPath,
    body: shapes.WebhookPatch,
    responses: { 200: { description: 'The webhook.', body: Webhook } },
    errors: [webhookErrors.webhook_not_found],
    etag: true,
  })

  const rotateWebhook = defineOperation({
    id: 'rotateWebhook',
    method: 'post',
    path: '/webhooks/{webhookId}/rotate',
    sdk: 'webhooks.rotate',
    ...common,
    summary: 'Rotate the signing secret',
    description:
      'Gives a webhook a new signing secret. During the grace period each delivery has two signatures, one with the old secret and one with the new.',
    params: WebhookPath,
    body: RotateWebhook,
    responses: { 200: { description: 'The webhook with its new secret.', body: WebhookWithSecret } },
    errors: [webhookErrors.webhook_not_found],
    secretField: 'secret',
    etag: true,
  })

  const pingWebhook = defineOperation({
    id: 'pingWebhook',
    method: 'post',
    path: '/webhooks/{webhookId}/ping',
    sdk: 'webhooks.ping',
    ...common,
    summary: 'Send a test event',
    description:
      'Sends a test event of type `webhook.ping` to a webhook, regardless of the types it subscribes to. See its deliveries for the result.',
    params: WebhookPath,
    responses: { 202: { description: 'The delivery was scheduled.', body: Delivery } },
    errors: [webhookErrors.webhook_not_found, webhookErrors.webhook_inactive, webhookErrors.webhook_backlog_full],
    etag: deliveryEtag,
    ifMatch: true,
  })

  const listDeliveries = defineOperation({
    id: 'listDeliveries',
    method: 'get',
    path: '/webhooks/{webhookId}/deliveries',
    sdk: 'webhooks.deliveries',
    ...common,
    summary: 'List deliveries',
    description: `Lists the deliveries of a webhook with their attempts, newest first. Deliveries are retained for ${deliveriesKeptDays} days.`,
    params: WebhookPath,
    query: z.strictObject({
      state: listParam(DeliveryState, 100)
        .optional()
        .meta({ description: 'Only deliveries in one of these states.', example: ['pending'] }),
      type: listParam(shapes.EventFilter, 100)
        .optional()
        .meta({ description: 'Only events of these types.', example: ['webhook.ping'] }),
      ...pageParams,
    }),
    responses: { 200: { description: 'A page of deliveries.', body: pageOf(Delivery) } },
    errors: [webhookErrors.webhook_not_found],
  })

  const getDelivery = defineOperation({
    id: 'getDelivery',
    method: 'get',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}',
    sdk: 'webhooks.delivery',
    ...common,
    summary: 'Get a delivery',
    description: 'Returns a delivery with what was sent: its `payload`, and the `headers` of each attempt.',
    params: DeliveryPath,
    responses: { 200: { description: 'The delivery.', body: Delivery } },
    errors: [webhookErrors.webhook_not_found, webhookErrors.delivery_not_found],
    etag: deliveryEtag,
  })

  const redeliverEvent = defineOperation({
    id: 'redeliverEvent',
    method: 'post',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    sdk: 'webhooks.redeliver',
    ...common,
    summary: 'Redeliver an event',
    description:
      'Sends the event of a delivery again with the same `webhook-id`, regardless of earlier results. If it fails, it is retried on the usual schedule.',
    params: DeliveryPath,
    responses: { 202: { description: 'The delivery was scheduled.', body: Delivery } },
    errors: [
      webhookErrors.webhook_not_found,
      webhookErrors.delivery_not_found,
      webhookErrors.webhook_inactive,
      webhookErrors.webhook_backlog_full,
    ],
    etag: deliveryEtag,
    ifMatch: deliveryEtag,
  })

  const replayEvents = defineOperation({
    id: 'replayEvents',
    method: 'post',
    path: '/webhooks/{webhookId}/replay',
    sdk: 'webhooks.replay',
    ...common,
    summary: 'Replay events',
    description: `Sends the events of a time range to a webhook again with their original \`webhook-id\`, including events from before the webhook was created. Schedules at most ${formatNumber(replayedMax)} deliveries per call, and at most ${formatNumber(waitingMax)} may be pending for a webhook. Every ${replayedPerRequest} deliveries count as one request; a replay that exceeds the quota is rejected and counts as one.`,
    costs: 'work',
    params: WebhookPath,
    body: shapes.ReplayEvents,
    responses: { 202: { description: 'The deliveries were scheduled.', body: Replayed } },
    errors: [webhookErrors.webhook_not_found, webhookErrors.webhook_inactive, webhookErrors.webhook_backlog_full],
    ifMatch: true,
  })

  const deleteWebhook = defineOperation({
    id: 'deleteWebhook',
    method: 'delete',
    path: '/webhooks/{webhookId}',
    sdk: 'webhooks.delete',
    ...common,
    summary: 'Delete a webhook',
    description: 'Deletes a webhook and its deliveries. No more events are sent.',
    params: WebhookPath,
    responses: { 204: { description: 'The webhook was deleted.' } },
    errors: [webhookErrors.webhook_not_found],
    etag: true,
  })

  // Subresources first, so that a client that calls the operations in order deletes the webhook last.
  return {
    listWebhooks,
    createWebhook,
    rotateWebhook,
    pingWebhook,
    listDeliveries,
    getDelivery,
    redeliverEvent,
    replayEvents,
    getWebhook,
    updateWebhook,
    deleteWebhook,
  }
}

export type WebhookOperations = ReturnType<typeof createWebhookOperations>
