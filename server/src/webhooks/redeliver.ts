import { ApiError } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { DeliveryRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { announceWebhooks } from './announce.ts'
import { reserveOne } from './backlog.ts'
import { beginAgain } from './deliveries.ts'
import { lockedOwn, mustBeActive } from './found.ts'

/** Sends an event once more, whatever became of it. */
export async function redeliver(
  tx: Transaction,
  call: Call,
  { webhookId, deliveryId }: { webhookId: Id; deliveryId: Id },
): Promise<DeliveryRow> {
  const webhook = await lockedOwn(tx, call, webhookId)
  const { id } = webhook
  const delivery = await beginAgain(tx, id, deliveryId, call.now)
  if (!delivery) throw new ApiError('delivery_not_found', `Webhook ${id} has no delivery ${deliveryId}.`)
  mustBeActive(webhook)
  await reserveOne(tx, id)
  announceWebhooks(tx)
  return delivery
}
