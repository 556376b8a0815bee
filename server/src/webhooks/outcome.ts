import type { Transaction } from '../db/database.ts'
import type { DeliveryRow } from '../db/tables.ts'
import { record } from '../events/record.ts'
import type { Attempt } from './attempt.ts'
import { insertAttempt, settle } from './deliveries.ts'
import { failingMsMax, nextAttemptAt } from './schedule.ts'
import { showWebhook } from './show.ts'
import { noteFailure, noteSuccess, setDisabled } from './store.ts'

export type Outcome = 'delivered' | 'retried' | 'given up'

const gone = 410

/** Writes down what came of an attempt that began at `at`, and what follows from it for the delivery and its webhook. */
export async function recordOutcome(
  tx: Transaction,
  delivery: DeliveryRow,
  attempt: Attempt,
  { at, now }: { at: number; now: number },
): Promise<Outcome> {
  const { status = null, latencyMs, error = null, response = null, isVoid = false } = attempt
  insertAttempt(tx, { delivery_id: delivery.id, at, status, latency_ms: latencyMs, error, response })
  if (status !== null && status >= 200 && status < 300) {
    settle(tx, delivery, { state: 'delivered', due_at: null, failures: delivery.failures })
    noteSuccess(tx, delivery.webhook_id)
    return 'delivered'
  }
  const failures = delivery.failures + 1
  const isOver = isVoid || status === gone
  const next = isOver ? undefined : nextAttemptAt(failures, now)
  const state = next === undefined ? 'failed' : 'pending'
  settle(tx, delivery, { state, due_at: next ?? null, failures })
  if (!isVoid) await blame(tx, delivery.webhook_id, status === gone, now)
  return next === undefined ? 'given up' : 'retried'
}

/** Switches a webhook off that wants no more, or has failed for too long, and tells its owner by an event. */
async function blame(tx: Transaction, webhookId: number, isGone: boolean, now: number): Promise<void> {
  const failingSince = await noteFailure(tx, webhookId, now)
  if (!isGone && now - failingSince < failingMsMax) return
  const webhook = await setDisabled(tx, webhookId, isGone ? 'gone' : 'failing')
  if (webhook) record(tx, { now }, { type: 'webhook.disabled', data: showWebhook(webhook), keyId: webhook.key_id })
}
