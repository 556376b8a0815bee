import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { WebhookRow } from '../db/tables.ts'
import { endOfLog } from '../events/log.ts'
import type { Id } from '../lib/int64.ts'
import { announceWebhooks } from './announce.ts'
import { mustReach } from './create.ts'
import { lockedWebhook } from './found.ts'
import type { WebhookChanges } from './shapes.ts'
import { updateWebhook } from './store.ts'
import type { Reach } from './url.ts'

export async function changeWebhook(
  tx: Transaction,
  call: Call,
  id: Id,
  changes: WebhookChanges,
  reach: Reach,
): Promise<WebhookRow> {
  const before = await lockedWebhook(tx, call, id)
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

/** A webhook that is switched on gets what happens from then on, and is not blamed for what was before. */
async function begunAgain(tx: Transaction) {
  const { tx: start_tx, id: start_id } = await endOfLog(tx)
  return { start_tx, start_id, failing_since: null, disabled_reason: null }
}
