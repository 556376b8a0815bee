import { ApiError } from '../platform/api/errors.ts'
import { unsignedHeaders } from '../platform/webhooks/attempt.ts'
import { webhookErrors, webhookEvents } from '../platform/webhooks/operations.ts'
import { send } from '../platform/webhooks/send.ts'
import { showWebhook } from '../platform/webhooks/show.ts'
import { newSigningSecret, signatures } from '../platform/webhooks/sign.ts'
import { findWebhook } from '../platform/webhooks/store.ts'
import type { OpenSandbox } from './open.ts'
import type { RecordedDelivery } from './recorded.ts'
import { readAttempts } from './webhook-attempts.ts'

const forgedMax = 100

/** The webhook attempts of a sandbox, and the forged ones, newest first. */
export async function readDeliveries({ service, record, redact }: OpenSandbox): Promise<RecordedDelivery[]> {
  const sent = (await readAttempts(service.db)).map((attempt) => ({ ...attempt, url: redact.address(attempt.url) }))
  // Both are newest first, and stay so where the clock stands still.
  return [...record().forged, ...sent].sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

/** Sends a webhook a delivery that is signed with a wrong secret, which its receiver should reject. */
export async function sendForged(sandbox: OpenSandbox, webhookId: number): Promise<RecordedDelivery> {
  const { service, clock, record, redact, update, findings } = sandbox
  const webhook = await findWebhook(service.db, webhookId)
  if (!webhook) throw new ApiError(webhookErrors.webhook_not_found)
  const now = clock.now()
  const number = (record().lastForgedId ?? 0) - 1
  update({ lastForgedId: number })
  const id = `forged_${-number}`
  const timestamp = Math.floor(now / 1000)
  const body = JSON.stringify({
    id,
    type: webhookEvents.ping,
    time: new Date(now).toISOString(),
    data: showWebhook(webhook),
  })
  const headers = {
    ...unsignedHeaders(id, now),
    'webhook-signature': signatures([newSigningSecret()], { id, timestamp, body }),
  }
  const {
    status = null,
    error,
    latencyMs,
  } = await send({ url: webhook.url, headers, body }, { allowPrivate: service.config.webhookAllowPrivate })
  const delivery = {
    id: number,
    at: new Date(now).toISOString(),
    webhookId,
    eventId: id,
    attempt: 1,
    url: redact.address(webhook.url),
    status,
    ...(error !== undefined && { error }),
    durationMs: latencyMs,
    forged: true,
  }
  const forged = [delivery, ...record().forged].sort((one, other) => one.id - other.id)
  update({ forged: forged.slice(0, forgedMax) })
  findings.keepForged(delivery)
  return delivery
}
