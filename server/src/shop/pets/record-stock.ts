import type { Origin } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { type NewEvent, recordEvents } from '../../platform/events/record.ts'
import { petEvents, stockEvents } from './kinds.ts'
import type { LockedPet } from './lock.ts'
import { itemOf, showItem, showPet } from './show.ts'

/** A pet before and after a stock change, and the event this is part of. */
export interface StockChange {
  readonly before: LockedPet
  readonly after: LockedPet
  readonly partOf?: NewEvent | undefined
  /** The order that caused it. */
  readonly orderId?: number | undefined
}

/** Records the events of stock changes; for each the event it is part of, then the count, then the status. */
export const recordStock = (tx: Transaction, changes: readonly StockChange[], origin: Origin): void =>
  recordEvents(tx, origin, changes.flatMap(eventsOf))

function eventsOf({ before, after, partOf, orderId }: StockChange): NewEvent[] {
  const from = before.stock ?? 0
  const to = after.stock ?? 0
  const events = partOf ? [partOf] : []
  if (from !== to) {
    const data = showItem(itemOf(after, to))
    const previous = showItem(itemOf(before, from))
    const change = {
      data,
      before: previous,
      causeId: orderId,
      keyId: orderId === undefined ? undefined : partOf?.keyId,
    }
    events.push({ type: stockEvents.changed, ...change })
    if (to === 0) events.push({ type: stockEvents.depleted, ...change })
  }
  if (before.status !== after.status) {
    events.push({ type: petEvents.updated, data: showPet(after), before: showPet(before) })
  }
  return events
}
