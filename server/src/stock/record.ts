import type { Transaction } from '../db/database.ts'
import { type Happening, record } from '../events/record.ts'
import type { LockedPet } from './lock.ts'
import { itemOf, showItem, showPet } from './show.ts'

/** The events of a change of stock: what it is part of, then the count, then the status that followed it. */
export function recordStock(
  tx: Transaction,
  before: LockedPet,
  after: LockedPet,
  now: number,
  partOf: readonly Happening[] = [],
): void {
  const [from, to] = [before.stock ?? 0, after.stock ?? 0]
  const count = { data: showItem(itemOf(after, to)), before: showItem(itemOf(before, from)) }
  record(
    tx,
    { now },
    ...partOf,
    ...(from === to ? [] : [{ type: 'inventory.changed' as const, ...count }]),
    ...(from > 0 && to === 0 ? [{ type: 'inventory.depleted' as const, ...count }] : []),
    { type: 'pet.updated', data: showPet(after), before: showPet(before) },
  )
}
