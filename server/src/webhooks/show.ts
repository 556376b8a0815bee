import type { DeliveryAttemptRow, DeliveryRow, WebhookRow } from '../db/tables.ts'

const time = (ms: number): string => new Date(ms).toISOString()

/** A webhook as clients see it. */
export const showWebhook = (webhook: WebhookRow) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events.split(' '),
  ...(webhook.description !== null && { description: webhook.description }),
  active: webhook.active === 1,
  createdAt: time(webhook.created_at),
  ...(webhook.disabled_reason !== null && { disabledReason: webhook.disabled_reason }),
})

export const showWithSecret = (webhook: WebhookRow) => ({ ...showWebhook(webhook), secret: webhook.secret })

const showAttempt = ({ at, status, latency_ms, error, response }: DeliveryAttemptRow) => ({
  time: time(at),
  status,
  latencyMs: latency_ms,
  ...(error !== null && { error }),
  ...(response !== null && { response }),
})

/** A delivery as clients see it, given the attempts of it and perhaps of others. */
export const showDelivery = (delivery: DeliveryRow, attempts: readonly DeliveryAttemptRow[]) => ({
  id: delivery.id,
  eventId: delivery.event_id,
  eventType: delivery.event_type,
  state: delivery.state,
  createdAt: time(delivery.created_at),
  attempts: attempts.filter(({ delivery_id }) => delivery_id === delivery.id).map(showAttempt),
  ...(delivery.due_at !== null && { nextAttemptAt: time(delivery.due_at) }),
})
