import type { Call } from '../api/operation.ts'
import type { Queryable } from '../db/database.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import type { Id } from '../lib/int64.ts'
import { buildMessages, unsignedHeaders } from './attempt.ts'
import { deliveryNotFound, findAttempts, findDelivery } from './deliveries.ts'
import { getOwnWebhook } from './get.ts'
import { showDelivery } from './show.ts'

/** A delivery of one of the caller's webhooks, with what was sent. */
export async function getDelivery(
  db: Queryable,
  catalogue: EventCatalogue,
  call: Pick<Call, 'caller'>,
  { webhookId, deliveryId }: { webhookId: Id; deliveryId: Id },
) {
  const webhook = await getOwnWebhook(db, call, webhookId)
  const delivery = await findDelivery(db, webhook.id, deliveryId)
  if (!delivery) throw deliveryNotFound(webhook.id, deliveryId)
  const endpoint = { ...webhook, scopes: [...call.caller.scopes].join(' ') }
  const [message] = await buildMessages(db, catalogue, [{ endpoint, delivery }])
  const shown = showDelivery(delivery, await findAttempts(db, [delivery.id]))
  return {
    ...shown,
    attempts: shown.attempts.map((attempt) => ({
      ...attempt,
      headers: unsignedHeaders(delivery.event_id, Date.parse(attempt.time)),
    })),
    ...(message && 'body' in message && { payload: message.body }),
  }
}
