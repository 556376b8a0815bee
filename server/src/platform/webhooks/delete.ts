import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { lockMatchingWebhook } from './get.ts'
import { removeWebhook } from './store.ts'

/** Deletes a webhook. Its deliveries can no longer be read, and are deleted when they are old. */
export async function deleteWebhook(tx: Transaction, call: Call, id: Id): Promise<void> {
  const webhook = await lockMatchingWebhook(tx, call, id)
  await removeWebhook(tx, webhook.id)
}
