import { ApiError } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { WebhookRow } from '../db/tables.ts'
import { endOfLog } from '../events/log.ts'
import { record } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { announceWebhooks } from './announce.ts'
import { mustReach } from './create.ts'
import { isOwn, lockedVisible } from './found.ts'
import type { WebhookChanges } from './shapes.ts'
import { showWebhook } from './show.ts'
import { updateWebhook } from './store.ts'
import type { Reach } from './url.ts'

export async function changeWebhook(
  tx: Transaction,
  call: Call,
  id: Id,
  changes: WebhookChanges,
  reach: Reach,
): Promise<WebhookRow> {
  const before = await lockedVisible(tx, call, id)
  if (!isOwn(before, call.caller)) return switchOff(tx, call, before, changes)
  const { url = before.url, events, description = before.description, active = before.active === 1 } = changes
  if (changes.url !== undefined) mustReach(url, reach)
  const changed: WebhookRow = {
    ...before,
    url,
    events: events ? [...new Set(events)].join(' ') : before.events,
    description,
    active: active ? 1 : 0,
    ...(active && before.active === 0 && (await begunAgain(tx))),
  }
  await updateWebhook(tx, changed)
  announceWebhooks(tx)
  return changed
}

/** All that a key which manages keys may do with the webhook of another. Its owner hears of it by an event. */
async function switchOff(
  tx: Transaction,
  { now }: Call,
  before: WebhookRow,
  { active, ...others }: WebhookChanges,
): Promise<WebhookRow> {
  if (active !== false || Object.keys(others).length > 0) {
    throw new ApiError('insufficient_scope', `Webhook ${before.id} is of another key: it can only be switched off.`)
  }
  if (before.active === 0) return before
  const changed: WebhookRow = { ...before, active: 0 }
  await updateWebhook(tx, changed)
  record(tx, { now }, { type: 'webhook.disabled', data: showWebhook(changed), keyId: before.key_id })
  return changed
}

/** A webhook that is switched on gets what happens from then on, and is not blamed for what was before. */
async function begunAgain(tx: Transaction) {
  const { tx: start_tx, id: start_id } = await endOfLog(tx)
  return { start_tx, start_id, held_back: 0 as const, failing_since: null, disabled_reason: null }
}
