import { ApiError } from '../api/errors.ts'
import type { Call, Caller } from '../api/operation.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { webhookErrors } from './operations.ts'
import { showWebhook } from './show.ts'
import { findWebhook, lockWebhook, type WebhookRow } from './store.ts'

// Reads and locks that throw if the caller has no such webhook. A key that manages keys sees all webhooks, every other key its own.

/** Whether the caller has full access to a webhook. */
export const isOwn = ({ key_id }: WebhookRow, { keyId, scopes }: Caller): boolean =>
  key_id === keyId && scopes.has('webhooks:manage')

const canRead = (webhook: WebhookRow, caller: Caller): boolean =>
  caller.scopes.has('keys:manage') || isOwn(webhook, caller)

/** A webhook the caller may read. */
export async function getVisibleWebhook(db: Queryable, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await findWebhook(db, id)
  return webhook && canRead(webhook, caller) ? webhook : throwNotFound(id)
}

/** Locks a webhook the caller may read, and checks the request's If-Match. */
export async function lockVisibleWebhook(tx: Transaction, { caller, mustMatch }: Call, id: Id): Promise<WebhookRow> {
  const webhook = await lockWebhook(tx, id)
  if (!webhook || !canRead(webhook, caller)) throwNotFound(id)
  mustMatch(showWebhook(webhook))
  return webhook
}

export async function getOwnWebhook(db: Queryable, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await findWebhook(db, id)
  return webhook && isOwn(webhook, caller) ? webhook : throwNotFound(id)
}

/** Locks one of the caller's webhooks, and checks the request's If-Match. */
export async function lockMatchingWebhook(tx: Transaction, call: Call, id: Id): Promise<WebhookRow> {
  const webhook = await lockVisibleWebhook(tx, call, id)
  return isOwn(webhook, call.caller) ? webhook : throwNotFound(id)
}

/** Locks one of the caller's webhooks in order to change its deliveries. */
export async function lockOwnWebhook(tx: Transaction, { caller }: Pick<Call, 'caller'>, id: Id): Promise<WebhookRow> {
  const webhook = await lockWebhook(tx, id)
  return webhook && isOwn(webhook, caller) ? webhook : throwNotFound(id)
}

/** Like `lockMatchingWebhook`, and the webhook must be active. */
export async function lockActiveWebhook(tx: Transaction, call: Call, id: Id): Promise<WebhookRow> {
  const webhook = await lockMatchingWebhook(tx, call, id)
  mustBeActive(webhook)
  return webhook
}

export function mustBeActive({ id, active }: WebhookRow): void {
  if (active === 0)
    throw new ApiError(webhookErrors.webhook_inactive, `Webhook ${id} is inactive, so nothing is sent to it.`)
}

function throwNotFound(id: Id): never {
  throw new ApiError(webhookErrors.webhook_not_found, `You have no webhook ${id}.`)
}
