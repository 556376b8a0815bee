import { validationFailed } from '../api/errors.ts'
import type { AdmittedCaller, Call } from '../api/operation.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { EventRow, WebhookRow } from '../db/tables.ts'
import { placeBefore } from '../events/at-time.ts'
import { typesOf } from '../events/filter.ts'
import { readLog } from '../events/log.ts'
import { idOf, type Place, placeOf } from '../events/place.ts'
import type { Id } from '../lib/int64.ts'
import { minuteMs } from '../lib/time.ts'
import { announceWebhooks } from './announce.ts'
import { backlogFull, reserve } from './backlog.ts'
import { insertDeliveries } from './deliveries.ts'
import { activeWebhook, foundWebhook } from './found.ts'
import { type Replay, replayedMax, replayedPerRequest } from './shapes.ts'
import { wantsOf } from './wants.ts'

/** So many events are looked at for one replay, wanted or not. */
const lookedAtMax = 2_500
/** Events lie in the order in which their transactions began, which differs from that of their times by seconds. */
const disorderMs = minuteMs

/** How many requests a replay costs. A key whose windows are small gets as many deliveries at once as it could pay for. */
export async function replayCost(
  db: Queryable,
  call: Pick<Call, 'caller'> & { readonly caller: AdmittedCaller },
  id: Id,
  wanted: Replay,
): Promise<number> {
  const { perMinute, perDay } = call.caller.limits
  const webhook = await foundWebhook(db, call, id)
  const { found } = await findAsked(db, call, webhook, wanted, replayedMax)
  return Math.max(1, Math.min(Math.ceil(found.length / replayedPerRequest), perMinute, perDay))
}

/** Sends the events of a time again, those that the webhook wants and its key may see: as many as were paid for and may wait. */
export async function replay(
  tx: Transaction,
  call: Call,
  id: Id,
  wanted: Replay,
  paid: number,
): Promise<{ scheduled: number; next?: string }> {
  const webhook = await activeWebhook(tx, call, id)
  const most = Math.min(replayedMax, paid * replayedPerRequest)
  const { found, next } = await findAsked(tx, call, webhook, wanted, most)
  const granted = await reserve(tx, webhook.id, found.length)
  if (granted === 0 && found.length > 0) throw backlogFull(webhook.id)
  const sent = found.slice(0, granted)
  const deliveries = sent.map((event) => ({ webhookId: webhook.id, eventId: idOf(event), eventType: event.type }))
  await insertDeliveries(tx, deliveries, call.now, 'is sent again')
  announceWebhooks(tx)
  const last = granted < found.length ? sent.at(-1) : next
  return { scheduled: sent.length, ...(last && { next: idOf(last) }) }
}

/** The first events that are asked for, and where to go on when there may be more. */
async function findAsked(
  db: Queryable,
  { caller }: Pick<Call, 'caller'>,
  webhook: WebhookRow,
  { from, to = Number.POSITIVE_INFINITY, events, after, limit = replayedMax }: Replay,
  most: number,
): Promise<{ found: EventRow[]; next: Place | undefined }> {
  const start = after === undefined ? await placeBefore(db, from - disorderMs) : givenPlace(after)
  const log = await readLog(db, start, lookedAtMax)
  const types = typesOf(events)
  const wants = wantsOf(webhook, caller.scopes)
  const isAsked = (event: EventRow) => event.at >= from && event.at < to && types.has(event.type) && wants(event)
  const foundMax = Math.min(limit, most)
  const found = log.filter(isAsked).slice(0, foundMax)
  // Where the looking ended: at the last event taken when there were too many, else at the last one read.
  const last = found.length === foundMax ? found.at(-1) : log.length === lookedAtMax ? log.at(-1) : undefined
  return { found, next: last && last.at < to + disorderMs ? last : undefined }
}

function givenPlace(after: string): Place {
  const place = placeOf(after)
  if (!place) throw validationFailed([{ in: 'body', path: '/after', message: 'must be the next of an answer' }])
  return place
}
