import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { WebhookRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { lockedWebhook } from './found.ts'
import type { SecretRotation } from './shapes.ts'
import { newSigningSecret } from './sign.ts'
import { setSecret } from './store.ts'

/** Gives a webhook a new secret. The one it has signs too until the grace time ends; one before that signs no more. */
export async function rotateSecret(
  tx: Transaction,
  call: Call,
  id: Id,
  { graceSeconds }: SecretRotation,
): Promise<WebhookRow> {
  const webhook = await lockedWebhook(tx, call, id)
  const secret = newSigningSecret()
  await setSecret(tx, webhook.id, secret, call.now + graceSeconds * 1000)
  return { ...webhook, secret }
}
