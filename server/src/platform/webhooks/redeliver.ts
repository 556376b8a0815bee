import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { announceWebhooks } from './announce.ts'
import { reserveOne } from './backlog.ts'
import { type DeliveryRow, deliveryNotFound, restartDelivery } from './deliveries.ts'
import { lockOwnWebhook, mustBeActive } from './get.ts'

/** Sends an event again, whatever the result of earlier attempts. */
export async function redeliver(
  tx: Transaction,
  call: Call,
  { webhookId, deliveryId }: { webhookId: Id; deliveryId: Id },
): Promise<DeliveryRow> {
  const webhook = await lockOwnWebhook(tx, call, webhookId)
  const { id } = webhook
  const delivery = await restartDelivery(tx, id, deliveryId, call.now)
  if (!delivery) throw deliveryNotFound(id, deliveryId)
  mustBeActive(webhook)
  await reserveOne(tx, id)
  announceWebhooks(tx)
  return delivery
}
