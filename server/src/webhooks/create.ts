import { ApiError, validationFailed } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { WebhookRow } from '../db/tables.ts'
import { endOfLog } from '../events/log.ts'
import { announceWebhooks } from './announce.ts'
import { type NewWebhookFields, webhooksMax } from './shapes.ts'
import { newSigningSecret } from './sign.ts'
import { countWebhooks, insertWebhook } from './store.ts'
import { type Reach, urlFault } from './url.ts'

/** Makes a webhook of the calling key. It gets what happens from here on. */
export async function createWebhook(
  tx: Transaction,
  { caller, now }: Call,
  wanted: NewWebhookFields,
  reach: Reach,
): Promise<WebhookRow> {
  mustReach(wanted.url, reach)
  if ((await countWebhooks(tx, caller.keyId)) >= webhooksMax) throw new ApiError('webhook_limit_reached')
  const { url, events, description = null, active = true } = wanted
  const fields = {
    key_id: caller.keyId,
    url,
    events: [...new Set(events)].join(' '),
    description,
    active: active ? 1 : 0,
    secret: newSigningSecret(),
    created_at: now,
  } as const
  const webhook = await insertWebhook(tx, fields, await endOfLog(tx))
  announceWebhooks(tx)
  return webhook
}

/** Refuses an address that this service does not send to. */
export function mustReach(url: string, reach: Reach): void {
  const message = urlFault(url, reach)
  if (message) throw validationFailed([{ in: 'body', path: '/url', message }])
}
