import type { Transaction } from '../db/database.ts'
import { type Happening, recordAll } from '../events/record.ts'
import type { LockedPet } from './lock.ts'
import { itemOf, showItem, showPet } from './show.ts'

/** A pet before and after a change of its stock, and the event that the change is part of. */
export interface StockChange {
  readonly before: LockedPet
  readonly after: LockedPet
  readonly partOf?: Happening | undefined
}

/** The events of changes of stock: for each what it is part of, then the count, then the status that followed it. */
export const recordStock = (tx: Transaction, changes: readonly StockChange[], now: number): void =>
  recordAll(tx, now, changes.flatMap(happeningsIn))

function happeningsIn({ before, after, partOf }: StockChange): Happening[] {
  const from = before.stock ?? 0
  const to = after.stock ?? 0
  const happenings = partOf ? [partOf] : []
  if (from !== to) {
    const data = showItem(itemOf(after, to))
    const was = showItem(itemOf(before, from))
    happenings.push({ type: 'inventory.changed', data, before: was })
    if (to === 0) happenings.push({ type: 'inventory.depleted', data, before: was })
  }
  if (before.status !== after.status) {
    happenings.push({ type: 'pet.updated', data: showPet(after), before: showPet(before) })
  }
  return happenings
}
