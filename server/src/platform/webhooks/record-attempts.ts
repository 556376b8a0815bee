import type { Transaction } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import type { Random } from '../lib/random.ts'
import type { Attempt } from './attempt.ts'
import { type DeliveryRow, insertAttempt, setState } from './deliveries.ts'
import { webhookEvents } from './operations.ts'
import { failingMsMax, nextAttemptAt } from './schedule.ts'
import { showWebhook } from './show.ts'
import { type Receiver, setDisabled, setFailing, setSucceeded } from './store.ts'

export type AttemptResult = 'delivered' | 'retried' | 'given_up'

/** An attempt that has ended, and the time it started. */
export interface FinishedAttempt {
  readonly delivery: DeliveryRow
  /** The webhook's URL when the attempt started. */
  readonly url: string
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
  const byReceiver = Map.groupBy(
    finished.filter(({ attempt }) => !attempt.isVoid),
    ({ delivery, url }) => `${delivery.webhook_id} ${url}`,
  )
  const outdated = new Set<FinishedAttempt>()
  // Webhooks before deliveries, and always by id, so that no two transactions deadlock.
  for (const own of [...byReceiver.values()].sort(byWebhook)) {
    const last = own.at(-1) as FinishedAttempt
    const receiver = { id: last.delivery.webhook_id, url: last.url }
    if (own.some(isSuccess)) setSucceeded(tx, receiver)
    const isGone = own.some(({ attempt }) => attempt.status === gone)
    if (!isGone && isSuccess(last)) continue
    const isCurrent = await recordFailure(tx, receiver, isGone, now)
    if (!isCurrent) for (const each of own) outdated.add(each)
  }
  return finished.map((each) => recordAttempt(tx, each, outdated.has(each), now, random))
}

const byWebhook = ([one]: FinishedAttempt[], [other]: FinishedAttempt[]): number =>
  (one?.delivery.webhook_id ?? 0) - (other?.delivery.webhook_id ?? 0)

/** `isOutdated`: the webhook has another URL by now, where the event is sent next even if the old receiver is gone. */
function recordAttempt(
  tx: Transaction,
  finished: FinishedAttempt,
  isOutdated: boolean,
  now: number,
  random: Random,
): AttemptResult {
  const { delivery, attempt, at } = finished
  const { status = null, latencyMs, error = null, response = null, isVoid = false } = attempt
  insertAttempt(tx, delivery, { delivery_id: delivery.id, at, status, latency_ms: latencyMs, error, response })
  if (isSuccess(finished)) {
    setState(tx, delivery, { state: 'delivered', due_at: null, failures: delivery.failures })
    return 'delivered'
  }
  const failures = delivery.failures + 1
  const isFinal = isVoid || (status === gone && !isOutdated)
  const next = isFinal ? undefined : nextAttemptAt(failures, now, random)
  const state = next === undefined ? 'failed' : 'pending'
  setState(tx, delivery, { state, due_at: next ?? null, failures })
  return next === undefined ? 'given_up' : 'retried'
}

/**
 * Deactivates a webhook whose receiver is gone or has failed for too long, and notifies its owner by an event. Returns whether the
 * webhook still has this URL; otherwise nothing changes.
 */
async function recordFailure(tx: Transaction, receiver: Receiver, isGone: boolean, now: number): Promise<boolean> {
  const failingSince = await setFailing(tx, receiver, now)
  if (failingSince === undefined) return false
  if (!isGone && now - failingSince < failingMsMax) return true
  const webhook = await setDisabled(tx, receiver, isGone ? 'gone' : 'failing')
  if (webhook)
    recordEvent(tx, { now }, { type: webhookEvents.disabled, data: showWebhook(webhook), keyId: webhook.key_id })
  return true
}
