import { ApiError, validationFailed } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import { findLogEnd } from '../events/log.ts'
import { announceWebhooks } from './announce.ts'
import { webhookErrors } from './operations.ts'
import { type NewWebhookFields, webhooksMax } from './shapes.ts'
import { newSigningSecret } from './sign.ts'
import type { SigningSecrets } from './signing-secrets.ts'
import { countWebhooks, insertWebhook, type WebhookRow } from './store.ts'
import { findUrlFault, type UrlPolicy } from './url.ts'

/** Which URLs webhooks may have, and how their secrets are stored. */
export interface WebhookPolicy {
  readonly urlPolicy: UrlPolicy
  readonly secrets: SigningSecrets
}

/** Creates a webhook for the calling key. It gets events from now on. Returns it with its secret in plain text. */
export async function createWebhook(
  tx: Transaction,
  { caller, now, random }: Call,
  wanted: NewWebhookFields,
  { urlPolicy, secrets }: WebhookPolicy,
): Promise<WebhookRow> {
  checkUrl(wanted.url, urlPolicy)
  if ((await countWebhooks(tx, caller.keyId)) >= webhooksMax) {
    throw new ApiError(webhookErrors.webhook_limit_reached, `This key has ${webhooksMax} of ${webhooksMax} webhooks.`)
  }
  const { url, events, description = null, active = true } = wanted
  const secret = newSigningSecret(random)
  const fields = {
    key_id: caller.keyId,
    url,
    events: [...new Set(events)].join(' '),
    description,
    active: active ? 1 : 0,
    secret: secrets.seal(secret, caller.keyId),
    created_at: now,
  } as const
  const webhook = await insertWebhook(tx, fields, await findLogEnd(tx))
  announceWebhooks(tx)
  return { ...webhook, secret }
}

/** Rejects a URL that this service does not send to. */
export function checkUrl(url: string, urlPolicy: UrlPolicy): void {
  const message = findUrlFault(url, urlPolicy)
  if (message) throw validationFailed([{ in: 'body', path: '/url', message }])
}
