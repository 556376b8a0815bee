import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { randomBase62 } from '../lib/random.ts'
import { announceWebhooks } from './announce.ts'
import { reserveOne } from './backlog.ts'
import { type DeliveryRow, insertWithPayload } from './deliveries.ts'
import { lockActiveWebhook } from './get.ts'
import { webhookEvents } from './operations.ts'
import { showWebhook } from './show.ts'

/** Sends the webhook a test event, which is not added to the log. */
export async function pingWebhook(tx: Transaction, call: Call, id: Id): Promise<DeliveryRow> {
  const webhook = await lockActiveWebhook(tx, call, id)
  await reserveOne(tx, webhook.id)
  const eventId = `ping_${randomBase62(22, call.random)}`
  const event = {
    id: eventId,
    type: webhookEvents.ping,
    time: new Date(call.now).toISOString(),
    data: showWebhook(webhook),
  }
  const newDelivery = { webhookId: webhook.id, eventId, eventType: webhookEvents.ping }
  const delivery = await insertWithPayload(tx, newDelivery, JSON.stringify(event), call.now)
  announceWebhooks(tx)
  return delivery
}
