import { ApiError } from '../platform/api/errors.ts'
import { findLatestAttempts } from '../platform/webhooks/deliveries.ts'
import { webhookErrors, webhookEvents } from '../platform/webhooks/operations.ts'
import { send } from '../platform/webhooks/send.ts'
import { showWebhook } from '../platform/webhooks/show.ts'
import { newSigningSecret, signatures } from '../platform/webhooks/sign.ts'
import { findWebhook } from '../platform/webhooks/store.ts'
import type { OpenSandbox } from './open.ts'
import type { RecordedDelivery } from './recorded.ts'

const deliveriesMax = 1_000
const forgedMax = 100

/** The webhook attempts of a sandbox, and the forged ones, newest first. */
export async function readDeliveries({ service, record }: OpenSandbox): Promise<RecordedDelivery[]> {
  const rows = await findLatestAttempts(service.db, deliveriesMax)
  const sent = rows.map(({ id, at, webhook_id, event_id, attempt, url, status, latency_ms }) => ({
    id,
    at: new Date(at).toISOString(),
    webhookId: webhook_id,
    eventId: event_id,
    attempt,
    url,
    status,
    durationMs: latency_ms,
  }))
  // Both are newest first, and stay so where the clock stands still.
  return [...record().forged, ...sent].sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

/** Sends a webhook a delivery that is signed with a wrong secret, which its receiver should reject. */
export async function sendForged(sandbox: OpenSandbox, webhookId: number): Promise<RecordedDelivery> {
  const { service, clock, record, update } = sandbox
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
    'Content-Type': 'application/json',
    'User-Agent': 'petstore-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures([newSigningSecret()], { id, timestamp, body }),
  }
  const { status = null, latencyMs } = await send(
    { url: webhook.url, headers, body },
    { allowPrivate: service.config.webhookAllowPrivate },
  )
  const delivery = {
    id: number,
    at: new Date(now).toISOString(),
    webhookId,
    eventId: id,
    attempt: 1,
    url: webhook.url,
    status,
    durationMs: latencyMs,
    forged: true,
  }
  const forged = [delivery, ...record().forged].sort((one, other) => one.id - other.id)
  update({ forged: forged.slice(0, forgedMax) })
  return delivery
}
