import { validationFailed } from '../api/errors.ts'
import type { AdmittedCaller, Call } from '../api/operation.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import { readLog } from '../events/log.ts'
import { disorderMs, eventIdOf, type Position, parseEventId } from '../events/position.ts'
import { findPositionBefore } from '../events/position-at.ts'
import type { EventRow } from '../events/types.ts'
import type { Id } from '../lib/int64.ts'
import { announceWebhooks } from './announce.ts'
import { backlogFull, findRoom, reserve } from './backlog.ts'
import { insertDeliveries } from './deliveries.ts'
import { isOwn, lockActiveWebhook } from './get.ts'
import { createMatcher } from './matcher.ts'
import { type Replay, replayedMax, replayedPerRequest } from './shapes.ts'
import { findWebhook, type WebhookRow } from './store.ts'

/** The most events one replay reads from the log, matching or not. */
const scannedMax = 2_500

/** How many requests a replay costs: those for the deliveries that there is room for, but at most as many as the key's limits allow. */
export async function replayCost(
  db: Queryable,
  catalogue: EventCatalogue,
  call: Pick<Call, 'caller'> & { readonly caller: AdmittedCaller },
  id: Id,
  wanted: Replay,
): Promise<number> {
  const { perMinute, perDay } = call.caller.limits
  const webhook = await findWebhook(db, id)
  // The action rejects it later, and that rejection is stored under the Idempotency-Key.
  if (!webhook || !isOwn(webhook, call.caller) || webhook.active === 0) return 1
  const { found } = await findMatching(db, catalogue, call, webhook, wanted, replayedMax)
  const room = await findRoom(db, webhook.id, found.length)
  return Math.max(1, Math.min(Math.ceil(room / replayedPerRequest), perMinute, perDay))
}

/** Resends events of a time range that the webhook subscribes to and its key may see: as many as were paid for and there is room for. */
export async function replay(
  tx: Transaction,
  catalogue: EventCatalogue,
  call: Call,
  id: Id,
  wanted: Replay,
  paid: number,
): Promise<{ scheduled: number; next?: string }> {
  const webhook = await lockActiveWebhook(tx, call, id)
  const deliveriesMax = Math.min(replayedMax, paid * replayedPerRequest)
  const { found, next } = await findMatching(tx, catalogue, call, webhook, wanted, deliveriesMax)
  const granted = await reserve(tx, webhook.id, found.length)
  if (granted === 0 && found.length > 0) throw backlogFull(webhook.id)
  const sent = found.slice(0, granted)
  const deliveries = sent.map((event) => ({ webhookId: webhook.id, eventId: eventIdOf(event), eventType: event.type }))
  await insertDeliveries(tx, deliveries, call.now, 'resend')
  announceWebhooks(tx)
  const last = granted < found.length ? sent.at(-1) : next
  return { scheduled: sent.length, ...(last && { next: eventIdOf(last) }) }
}

/** The first matching events, and the position to continue from if there may be more. */
async function findMatching(
  db: Queryable,
  catalogue: EventCatalogue,
  { caller }: Pick<Call, 'caller'>,
  webhook: WebhookRow,
  { from, to = Number.POSITIVE_INFINITY, events, after, limit = replayedMax }: Replay,
  deliveriesMax: number,
): Promise<{ found: EventRow[]; next: Position | undefined }> {
  const start = after === undefined ? await findPositionBefore(db, from - disorderMs) : parseAfter(after)
  const log = await readLog(db, start, scannedMax)
  const types = catalogue.matchingTypes(events)
  const isWanted = createMatcher(catalogue, webhook, caller.scopes)
  const matches = (event: EventRow) => event.at >= from && event.at < to && types.has(event.type) && isWanted(event)
  const foundMax = Math.min(limit, deliveriesMax)
  const found = log.filter(matches).slice(0, foundMax)
  // Where the scan ended: at the last match if the limit was reached, else at the last event read.
  const last = found.length === foundMax ? found.at(-1) : log.length === scannedMax ? log.at(-1) : undefined
  return { found, next: last && last.at < to + disorderMs ? last : undefined }
}

function parseAfter(after: string): Position {
  const position = parseEventId(after)
  if (!position)
    throw validationFailed([{ in: 'body', path: '/after', message: 'must be the `next` of an earlier response' }])
  return position
}
