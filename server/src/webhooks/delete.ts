import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { lockedWebhook } from './found.ts'
import { removeWebhook } from './store.ts'

/** Ends a webhook. Its deliveries are out of reach from here on, and forgotten when they are old. */
export async function deleteWebhook(tx: Transaction, call: Call, id: Id): Promise<void> {
  const webhook = await lockedWebhook(tx, call, id)
  await removeWebhook(tx, webhook.id)
}
