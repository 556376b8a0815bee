import type { Queryable } from '../platform/db/database.ts'
import { findLatestAttempts } from '../platform/webhooks/deliveries.ts'
import type { RecordedDelivery } from './recorded.ts'

const attemptsMax = 1_000

/** The latest webhook attempts, newest first. */
export async function readAttempts(db: Queryable): Promise<RecordedDelivery[]> {
  const rows = await findLatestAttempts(db, attemptsMax)
  return rows.map(({ id, at, webhook_id, event_id, attempt, url, status, error, latency_ms }) => ({
    id,
    at: new Date(at).toISOString(),
    webhookId: webhook_id,
    eventId: event_id,
    attempt,
    url,
    status,
    ...(error !== null && { error }),
    durationMs: latency_ms,
  }))
}
