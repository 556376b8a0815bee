import { ApiError } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { WebhookRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { showWebhook } from './show.ts'
import { findWebhook, lockWebhook } from './store.ts'

// A webhook of the caller that has to be there. Another client's is not.

export async function foundWebhook(db: Queryable, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  return (await findWebhook(db, caller.keyId, id)) ?? notThere(id)
}

/** Locked, and in the state it was meant in. */
export async function lockedWebhook(tx: Transaction, { caller, mustMatch }: Call, id: Id): Promise<WebhookRow> {
  const webhook = (await lockWebhook(tx, caller.keyId, id)) ?? notThere(id)
  mustMatch(showWebhook(webhook))
  return webhook
}

/** One that something can be sent to. */
export async function activeWebhook(tx: Transaction, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await foundWebhook(tx, { caller }, id)
  if (webhook.active === 0) throw new ApiError('webhook_inactive', `Webhook ${webhook.id} is not active.`)
  return webhook
}

function notThere(id: Id): never {
  throw new ApiError('webhook_not_found', `There is no webhook ${id}.`)
}
