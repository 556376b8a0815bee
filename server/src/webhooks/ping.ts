import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { DeliveryRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { randomBase62 } from '../lib/random.ts'
import { announceWebhooks } from './announce.ts'
import { reserveOne } from './backlog.ts'
import { insertOwn } from './deliveries.ts'
import { activeWebhook } from './found.ts'
import { showWebhook } from './show.ts'

const type = 'webhook.ping'

/** Sends the webhook an event that is in nobody's log. */
export async function pingWebhook(tx: Transaction, call: Call, id: Id): Promise<DeliveryRow> {
  const webhook = await activeWebhook(tx, call, id)
  await reserveOne(tx, webhook.id)
  const eventId = `ping_${randomBase62(22)}`
  const event = { id: eventId, type, time: new Date(call.now).toISOString(), data: showWebhook(webhook) }
  const what = { webhookId: webhook.id, eventId, eventType: type }
  const delivery = await insertOwn(tx, what, JSON.stringify(event), call.now)
  announceWebhooks(tx)
  return delivery
}
