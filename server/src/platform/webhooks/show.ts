import type { AttemptWithState, DeliveryAttemptRow, DeliveryRow } from './deliveries.ts'
import type { WebhookRow } from './store.ts'

const time = (ms: number): string => new Date(ms).toISOString()

/** A webhook as clients see it. */
export const showWebhook = (webhook: WebhookRow) => ({
  id: webhook.id,
  keyId: webhook.key_id,
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

/** A delivery as clients see it. `attempts` may include those of other deliveries. */
export function showDelivery(delivery: DeliveryRow, attempts: readonly AttemptWithState[]) {
  const own = attempts.filter(({ delivery_id }) => delivery_id === delivery.id)
  // Prefer the state read together with the attempts, so that the two always agree.
  const { state, due_at } = own.at(-1) ?? delivery
  return {
    id: delivery.id,
    eventId: delivery.event_id,
    type: delivery.event_type,
    state,
    createdAt: time(delivery.created_at),
    attempts: own.map(showAttempt),
    ...(due_at !== null && { nextAttemptAt: time(due_at) }),
  }
}
