import { defineErrors } from '../api/errors.ts'
import { defineEvents } from '../events/types.ts'

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
