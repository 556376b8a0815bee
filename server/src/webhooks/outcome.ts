import type { Transaction } from '../db/database.ts'
import type { DeliveryRow } from '../db/tables.ts'
import { record } from '../events/record.ts'
import type { Attempt } from './attempt.ts'
import { insertAttempt, settle } from './deliveries.ts'
import { failingMsMax, nextAttemptAt } from './schedule.ts'
import { showWebhook } from './show.ts'
import { noteFailure, noteSuccess, setDisabled } from './store.ts'

export type Outcome = 'delivered' | 'retried' | 'given up'

/** An attempt that has ended, and when it began. */
export interface Finished {
  readonly delivery: DeliveryRow
  readonly attempt: Attempt
  readonly at: number
}

const gone = 410

const isSuccess = ({ attempt: { status } }: Finished): boolean => status !== undefined && status >= 200 && status < 300

/** Writes down what came of attempts, in the order in which they ended, and what follows for their deliveries and webhooks. */
export async function recordOutcomes(tx: Transaction, finished: readonly Finished[], now: number): Promise<Outcome[]> {
  // A void attempt says nothing of the receiver.
  const byWebhook = Map.groupBy(
    finished.filter(({ attempt }) => !attempt.isVoid),
    ({ delivery }) => delivery.webhook_id,
  )
  // Webhooks before deliveries, and in the same order everywhere, so that no two transactions wait for each other.
  for (const [webhookId, own] of [...byWebhook].sort(([one], [other]) => one - other)) {
    if (own.some(isSuccess)) noteSuccess(tx, webhookId)
    const isGone = own.some(({ attempt }) => attempt.status === gone)
    const last = own.at(-1) as Finished
    if (isGone || !isSuccess(last)) await blame(tx, webhookId, isGone, now)
  }
  return finished.map((each) => recordOutcome(tx, each, now))
}

function recordOutcome(tx: Transaction, finished: Finished, now: number): Outcome {
  const { delivery, attempt, at } = finished
  const { status = null, latencyMs, error = null, response = null, isVoid = false } = attempt
  insertAttempt(tx, delivery, { delivery_id: delivery.id, at, status, latency_ms: latencyMs, error, response })
  if (isSuccess(finished)) {
    settle(tx, delivery, { state: 'delivered', due_at: null, failures: delivery.failures })
    return 'delivered'
  }
  const failures = delivery.failures + 1
  const isOver = isVoid || status === gone
  const next = isOver ? undefined : nextAttemptAt(failures, now)
  const state = next === undefined ? 'failed' : 'pending'
  settle(tx, delivery, { state, due_at: next ?? null, failures })
  return next === undefined ? 'given up' : 'retried'
}

/** Switches a webhook off that wants no more, or has failed for too long, and tells its owner by an event. */
async function blame(tx: Transaction, webhookId: number, isGone: boolean, now: number): Promise<void> {
  const failingSince = await noteFailure(tx, webhookId, now)
  if (!isGone && now - failingSince < failingMsMax) return
  const webhook = await setDisabled(tx, webhookId, isGone ? 'gone' : 'failing')
  if (webhook) record(tx, { now }, { type: 'webhook.disabled', data: showWebhook(webhook), keyId: webhook.key_id })
}
