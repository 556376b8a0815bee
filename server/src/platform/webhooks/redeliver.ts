import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { announceWebhooks } from './announce.ts'
import { reserveOne } from './backlog.ts'
import { type DeliveryRow, deliveryNotFound, lockDelivery, restartDelivery } from './deliveries.ts'
import { lockOwnWebhook, mustBeActive } from './get.ts'
import { showDelivery } from './show.ts'

/** Sends an event again, whatever the result of earlier attempts. */
export async function redeliver(
  tx: Transaction,
  call: Call,
  { webhookId, deliveryId }: { webhookId: Id; deliveryId: Id },
): Promise<DeliveryRow> {
  const webhook = await lockOwnWebhook(tx, call, webhookId)
  const { id } = webhook
  const delivery = await lockDelivery(tx, id, deliveryId)
  if (!delivery) throw deliveryNotFound(id, deliveryId)
  call.mustMatch(showDelivery(delivery, []))
  mustBeActive(webhook)
  await reserveOne(tx, id)
  announceWebhooks(tx)
  return restartDelivery(tx, delivery.id, call.now)
}
