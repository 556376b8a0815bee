import { validationFailed } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { EventRow } from '../db/tables.ts'
import { placeBefore } from '../events/at-time.ts'
import { typesOf } from '../events/filter.ts'
import { readLog } from '../events/log.ts'
import { idOf, type Place, placeOf } from '../events/place.ts'
import type { Id } from '../lib/int64.ts'
import { minuteMs } from '../lib/time.ts'
import { announceWebhooks } from './announce.ts'
import { insertDeliveries } from './deliveries.ts'
import { activeWebhook } from './found.ts'
import { type Replay, replayedMax } from './shapes.ts'
import { wantsOf } from './wants.ts'

/** So many events are looked at for one replay, wanted or not. */
const lookedAtMax = 2_500
/** Events lie in the order in which their transactions began, which differs from that of their times by seconds. */
const disorderMs = minuteMs

/** Sends the events of a time again, those that the webhook wants and its key may see. */
export async function replay(
  tx: Transaction,
  call: Call,
  id: Id,
  { from, to = Number.POSITIVE_INFINITY, events, after }: Replay,
): Promise<{ scheduled: number; next?: string }> {
  const webhook = await activeWebhook(tx, call, id)
  const start = after === undefined ? await placeBefore(tx, from - disorderMs) : givenPlace(after)
  const log = await readLog(tx, start, lookedAtMax)
  const types = typesOf(events)
  const wants = wantsOf(webhook, call.caller.scopes)
  const isAsked = (event: EventRow) => event.at >= from && event.at < to && types.has(event.type) && wants(event)
  const found = log.filter(isAsked).slice(0, replayedMax)
  const deliveries = found.map((event) => ({ webhookId: webhook.id, eventId: idOf(event), eventType: event.type }))
  await insertDeliveries(tx, deliveries, call.now, 'is sent again')
  announceWebhooks(tx)
  // Where the looking ended: at the last event taken when there were too many, else at the last one read.
  const last = found.length === replayedMax ? found.at(-1) : log.length === lookedAtMax ? log.at(-1) : undefined
  const isOver = last === undefined || last.at >= to + disorderMs
  return { scheduled: found.length, ...(!isOver && { next: idOf(last) }) }
}

function givenPlace(after: string): Place {
  const place = placeOf(after)
  if (!place) throw validationFailed([{ in: 'body', path: '/after', message: 'must be the next of an answer' }])
  return place
}
