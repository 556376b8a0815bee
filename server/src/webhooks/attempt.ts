import type { Queryable } from '../db/database.ts'
import type { DeliveryRow, EventRow } from '../db/tables.ts'
import { findEvents } from '../events/log.ts'
import { showEvent } from '../events/show.ts'
import { maySee } from '../events/types.ts'
import { type SendOptions, type Sent, send } from './send.ts'
import { signatures } from './sign.ts'
import type { EndpointRow } from './store.ts'
import { scopesOf } from './wants.ts'

/** What came of an attempt. */
export interface Attempt extends Sent {
  /** There is nothing to send any more, which is not the receiver's fault. */
  readonly isVoid?: true
}

/** Why there is nothing to send. */
export interface Unsent {
  readonly error: string
}

/** One attempt to deliver: signed now, sent once. */
export async function attempt(
  endpoint: EndpointRow,
  delivery: DeliveryRow,
  body: string | Unsent,
  now: number,
  options: SendOptions,
): Promise<Attempt> {
  if (typeof body !== 'string') return { isVoid: true, error: body.error, latencyMs: 0 }
  const timestamp = Math.floor(now / 1000)
  const signed = { id: delivery.event_id, timestamp, body }
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'petstore-webhooks/1',
    'webhook-id': delivery.event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures(secretsOf(endpoint, now), signed),
  }
  return send({ url: endpoint.url, headers, body }, options)
}

interface Addressed {
  readonly endpoint: EndpointRow
  readonly delivery: DeliveryRow
}

/** What is sent for each of these: the event as it reads now. All events are read together. */
export async function bodiesOf(db: Queryable, addressed: readonly Addressed[]): Promise<(string | Unsent)[]> {
  const ids = addressed.flatMap(({ delivery: { payload, event_id } }) => (payload === null ? [event_id] : []))
  const events = await findEvents(db, ids)
  return addressed.map(({ endpoint, delivery }) => delivery.payload ?? bodyOf(endpoint, events.get(delivery.event_id)))
}

function bodyOf(endpoint: EndpointRow, event: EventRow | undefined): string | Unsent {
  if (!event) return { error: 'the event is not kept any more' }
  if (!maySee({ keyId: endpoint.key_id, scopes: scopesOf(endpoint) }, event))
    return { error: 'the key may not see the event any more' }
  return JSON.stringify(showEvent(event))
}

/** The secret, and the one before it while its grace time lasts. */
const secretsOf = ({ secret, old_secret, old_secret_until }: EndpointRow, now: number): string[] =>
  old_secret !== null && old_secret_until !== null && now < old_secret_until ? [secret, old_secret] : [secret]
