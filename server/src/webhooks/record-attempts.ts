import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Random } from '../lib/random.ts'
import type { Attempt } from './attempt.ts'
import { type DeliveryRow, insertAttempt, setState } from './deliveries.ts'
import { failingMsMax, nextAttemptAt } from './schedule.ts'
import { showWebhook } from './show.ts'
import { setDisabled, setFailing, setSucceeded } from './store.ts'

export type AttemptResult = 'delivered' | 'retried' | 'given_up'

/** An attempt that has ended, and the time it started. */
export interface FinishedAttempt {
  readonly delivery: DeliveryRow
  readonly attempt: Attempt
  readonly at: number
}

const gone = 410

const isSuccess = ({ attempt: { status } }: FinishedAttempt): boolean =>
  status !== undefined && status >= 200 && status < 300

/** Stores finished attempts in the order they ended, and updates their deliveries and webhooks. */
export async function recordAttempts(
  tx: Transaction,
  finished: readonly FinishedAttempt[],
  now: number,
  random: Random,
): Promise<AttemptResult[]> {
  // A void attempt says nothing about the receiver.
  const byWebhook = Map.groupBy(
    finished.filter(({ attempt }) => !attempt.isVoid),
    ({ delivery }) => delivery.webhook_id,
  )
  // Webhooks before deliveries, and always by id, so that no two transactions deadlock.
  for (const [webhookId, own] of [...byWebhook].sort(([one], [other]) => one - other)) {
    if (own.some(isSuccess)) setSucceeded(tx, webhookId)
    const isGone = own.some(({ attempt }) => attempt.status === gone)
    const last = own.at(-1) as FinishedAttempt
    if (isGone || !isSuccess(last)) await recordFailure(tx, webhookId, isGone, now)
  }
  return finished.map((each) => recordAttempt(tx, each, now, random))
}

function recordAttempt(tx: Transaction, finished: FinishedAttempt, now: number, random: Random): AttemptResult {
  const { delivery, attempt, at } = finished
  const { status = null, latencyMs, error = null, response = null, isVoid = false } = attempt
  insertAttempt(tx, delivery, { delivery_id: delivery.id, at, status, latency_ms: latencyMs, error, response })
  if (isSuccess(finished)) {
    setState(tx, delivery, { state: 'delivered', due_at: null, failures: delivery.failures })
    return 'delivered'
  }
  const failures = delivery.failures + 1
  const isFinal = isVoid || status === gone
  const next = isFinal ? undefined : nextAttemptAt(failures, now, random)
  const state = next === undefined ? 'failed' : 'pending'
  setState(tx, delivery, { state, due_at: next ?? null, failures })
  return next === undefined ? 'given_up' : 'retried'
}

/** Deactivates a webhook whose receiver is gone or has failed for too long, and notifies its owner by an event. */
async function recordFailure(tx: Transaction, webhookId: number, isGone: boolean, now: number): Promise<void> {
  const failingSince = await setFailing(tx, webhookId, now)
  if (!isGone && now - failingSince < failingMsMax) return
  const webhook = await setDisabled(tx, webhookId, isGone ? 'gone' : 'failing')
  if (webhook) recordEvent(tx, { now }, { type: 'webhook.disabled', data: showWebhook(webhook), keyId: webhook.key_id })
}
