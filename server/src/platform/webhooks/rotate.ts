import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { lockMatchingWebhook } from './get.ts'
import type { WebhookRotation } from './shapes.ts'
import { newSigningSecret } from './sign.ts'
import type { SigningSecrets } from './signing-secrets.ts'
import { setSecret, type WebhookRow } from './store.ts'

/**
 * Gives a webhook a new secret. The current one also signs until the grace period ends; an older one no longer does. Returns the new
 * secret in plain text.
 */
export async function rotateWebhook(
  tx: Transaction,
  call: Call,
  id: Id,
  { graceSeconds }: WebhookRotation,
  secrets: SigningSecrets,
): Promise<WebhookRow> {
  const webhook = await lockMatchingWebhook(tx, call, id)
  const secret = newSigningSecret(call.random)
  await setSecret(tx, webhook.id, secrets.seal(secret, webhook.key_id), call.now + graceSeconds * 1000)
  return { ...webhook, secret }
}
