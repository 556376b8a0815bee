import { ApiError, apiErrors } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { findLogEnd } from '../events/log.ts'
import { recordEvent } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceWebhooks } from './announce.ts'
import { checkUrl } from './create.ts'
import { isOwn, lockVisibleWebhook } from './get.ts'
import { webhookEvents } from './operations.ts'
import type { WebhookChanges } from './shapes.ts'
import { showWebhook } from './show.ts'
import { skipCommitted, updateWebhook, type WebhookRow } from './store.ts'
import type { UrlPolicy } from './url.ts'

export async function changeWebhook(
  tx: Transaction,
  call: Call,
  id: Id,
  changes: WebhookChanges,
  urlPolicy: UrlPolicy,
): Promise<WebhookRow> {
  const before = await lockVisibleWebhook(tx, call, id)
  if (!isOwn(before, call.caller)) return deactivate(tx, call, before, changes)
  const { url = before.url, events, description = before.description, active = before.active === 1 } = changes
  if (changes.url !== undefined) checkUrl(url, urlPolicy)
  const isActivated = active && before.active === 0
  const changed: WebhookRow = {
    ...before,
    url,
    events: events ? [...new Set(events)].join(' ') : before.events,
    description,
    active: active ? 1 : 0,
    // The failures of the old receiver do not count against the new one.
    failing_since: active && url !== before.url ? null : before.failing_since,
    ...(isActivated && (await restartState(tx))),
  }
  await updateWebhook(tx, changed)
  if (isActivated) await skipCommitted(tx, changed.id)
  announceWebhooks(tx)
  return changed
}

/** The only change a key that manages keys may make to another key's webhook. An event notifies the owner. */
async function deactivate(
  tx: Transaction,
  call: Call,
  before: WebhookRow,
  { active, ...others }: WebhookChanges,
): Promise<WebhookRow> {
  if (active !== false || Object.keys(others).length > 0) {
    throw new ApiError(apiErrors.insufficient_scope, `Webhook ${before.id} belongs to another key.`, {
      advice: 'You can only disable it, with `{"active": false}`. For other changes use the key that created it.',
    })
  }
  if (before.active === 0) return before
  const changed: WebhookRow = { ...before, active: 0 }
  await updateWebhook(tx, changed)
  recordEvent(tx, call, { type: webhookEvents.disabled, data: showWebhook(changed), keyId: before.key_id })
  return changed
}

/** A reactivated webhook gets events from now on, and its earlier failures no longer count. */
async function restartState(tx: Transaction) {
  const { tx: start_tx, id: start_id } = await findLogEnd(tx)
  return { start_tx, start_id, held_back: 0 as const, failing_since: null, disabled_reason: null }
}
