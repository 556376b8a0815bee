import type { Queryable } from '../db/database.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import { findEvents } from '../events/log.ts'
import type { TracedEventRow } from '../events/types.ts'
import type { DeliveryRow } from './deliveries.ts'
import { parseScopes } from './matcher.ts'
import { type SendOptions, type SendResult, send } from './send.ts'
import { signatures } from './sign.ts'
import type { SigningSecrets } from './signing-secrets.ts'
import type { EndpointRow } from './store.ts'

/** The result of an attempt. */
export interface Attempt extends SendResult {
  /** There was nothing to send, so the receiver is not to blame. */
  readonly isVoid?: true
}

/** What is sent, and the `traceparent` of the change that caused it, if a trace was recorded. */
export interface Message {
  readonly body: string
  readonly trace: string | null
}

/** Why there is nothing to send. */
export interface Unsendable {
  readonly error: string
}

/** The headers of an attempt that started at this time, without the signature. */
export const unsignedHeaders = (eventId: string, startedAt: number) => ({
  'Content-Type': 'application/json',
  'User-Agent': 'petstore-webhooks/1',
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(startedAt / 1000)),
})

interface AttemptOptions extends SendOptions {
  readonly secrets: SigningSecrets
  readonly traceparent?: string
}

/** Makes one delivery attempt: signs the body and sends it once. */
export async function makeAttempt(
  endpoint: EndpointRow,
  delivery: DeliveryRow,
  message: Message | Unsendable,
  now: number,
  { traceparent, secrets, ...options }: AttemptOptions,
): Promise<Attempt> {
  if ('error' in message) return { isVoid: true, error: message.error, latencyMs: 0 }
  const { body } = message
  const timestamp = Math.floor(now / 1000)
  const signed = { id: delivery.event_id, timestamp, body }
  const headers = {
    ...unsignedHeaders(delivery.event_id, now),
    'webhook-signature': signatures(
      secretsOf(endpoint, now).map((stored) => secrets.open(stored, endpoint.key_id)),
      signed,
    ),
    ...(traceparent !== undefined && { traceparent }),
  }
  return send({ url: endpoint.url, headers, body }, options)
}

/** Why an attempt was over before anything was sent. */
export const unsent = {
  gone: 'the event is no longer in the log',
  hidden: 'the key can no longer see the event',
}

interface ClaimedDelivery {
  readonly endpoint: EndpointRow
  readonly delivery: DeliveryRow
}

/** Builds the messages: each event as clients see it now. All events are read together. */
export async function buildMessages(
  db: Queryable,
  catalogue: EventCatalogue,
  claimed: readonly ClaimedDelivery[],
): Promise<(Message | Unsendable)[]> {
  const ids = claimed.flatMap(({ delivery: { payload, event_id } }) => (payload === null ? [event_id] : []))
  const events = await findEvents(db, ids)
  return claimed.map(({ endpoint, delivery: { payload, event_id } }) =>
    payload === null ? buildMessage(catalogue, endpoint, events.get(event_id)) : { body: payload, trace: null },
  )
}

function buildMessage(
  catalogue: EventCatalogue,
  endpoint: EndpointRow,
  event: TracedEventRow | undefined,
): Message | Unsendable {
  if (!event) return { error: unsent.gone }
  const viewer = { keyId: endpoint.key_id, scopes: parseScopes(endpoint) }
  if (!catalogue.canSee(viewer, event)) return { error: unsent.hidden }
  return { body: JSON.stringify(catalogue.show(event, viewer)), trace: event.trace }
}

/** The secret, and the previous one during its grace period. */
const secretsOf = ({ secret, old_secret, old_secret_until }: EndpointRow, now: number): string[] =>
  old_secret !== null && old_secret_until !== null && now < old_secret_until ? [secret, old_secret] : [secret]
