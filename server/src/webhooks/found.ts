import { ApiError } from '../api/errors.ts'
import type { Call, Caller } from '../api/operation.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { WebhookRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { showWebhook } from './show.ts'
import { findWebhook, lockWebhook } from './store.ts'

// A webhook that has to be there. Another client's is not, except to a key that manages keys, which sees all.

/** Whether the caller may do everything with a webhook. */
export const isOwn = ({ key_id }: WebhookRow, { keyId, scopes }: Caller): boolean =>
  key_id === keyId && scopes.has('webhooks:manage')

const canSee = (webhook: WebhookRow, caller: Caller): boolean =>
  caller.scopes.has('keys:manage') || isOwn(webhook, caller)

/** One that the caller may read. */
export async function visibleWebhook(db: Queryable, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await findWebhook(db, id)
  return webhook && canSee(webhook, caller) ? webhook : notThere(id)
}

/** The same, locked, and in the state it was meant in. */
export async function lockedVisible(tx: Transaction, { caller, mustMatch }: Call, id: Id): Promise<WebhookRow> {
  const webhook = await lockWebhook(tx, id)
  if (!webhook || !canSee(webhook, caller)) notThere(id)
  mustMatch(showWebhook(webhook))
  return webhook
}

export async function foundWebhook(db: Queryable, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await findWebhook(db, id)
  return webhook && isOwn(webhook, caller) ? webhook : notThere(id)
}

/** Locked, and in the state it was meant in. */
export async function lockedWebhook(tx: Transaction, call: Call, id: Id): Promise<WebhookRow> {
  const webhook = await lockedVisible(tx, call, id)
  return isOwn(webhook, call.caller) ? webhook : notThere(id)
}

/** The caller's own, locked: what waits for it is about to change. */
export async function lockedOwn(tx: Transaction, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await lockWebhook(tx, id)
  return webhook && isOwn(webhook, caller) ? webhook : notThere(id)
}

/** The same, and something can be sent to it. */
export async function activeWebhook(tx: Transaction, call: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await lockedOwn(tx, call, id)
  mustBeActive(webhook)
  return webhook
}

export function mustBeActive({ id, active }: WebhookRow): void {
  if (active === 0) throw new ApiError('webhook_inactive', `Webhook ${id} is not active.`)
}

function notThere(id: Id): never {
  throw new ApiError('webhook_not_found', `There is no webhook ${id}.`)
}
