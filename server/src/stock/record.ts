import type { Transaction } from '../db/database.ts'
import { type Happening, recordAll } from '../events/record.ts'
import type { LockedPet } from './lock.ts'
import { itemOf, showItem, showPet } from './show.ts'

/** The events of a change of stock: what it is part of, then the count, then the status that followed it. */
export function recordStock(
  tx: Transaction,
  before: LockedPet,
  after: LockedPet,
  now: number,
  partOf?: Happening,
): void {
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
  recordAll(tx, now, happenings)
}
