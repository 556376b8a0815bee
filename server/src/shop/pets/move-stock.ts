import { ApiError } from '../../platform/api/errors.ts'
import type { Origin } from '../../platform/api/operation.ts'
import type { Count, Insert, Transaction } from '../../platform/db/database.ts'
import { byHundreds, placeholderList } from '../../platform/db/many.ts'
import type { NewEvent } from '../../platform/events/record.ts'
import { formatNumber } from '../../platform/lib/text.ts'
import { type LockedPet, petLock } from './lock.ts'
import { type Movement, recordMovements } from './movements.ts'
import { petErrors, petEvents, stockEvents } from './operations.ts'
import { stockMax } from './shapes.ts'
import { itemOf, showItem, showPet } from './show.ts'
import { followStock, statusFromStock } from './status.ts'

// The only functions that change stock. Each one updates the count, records the movement and updates the pet's status. It returns
// the events, which the caller records after the event of the larger change. The statements depend only on the lock, so they are sent
// without waiting for their results.

/** A pet whose stock changed, and the events to record. */
interface Moved {
  readonly pet: LockedPet
  readonly events: readonly NewEvent[]
}

/** Adds or removes stock. Adding creates the inventory item if there is none. */
export function moveStock(tx: Transaction, pet: LockedPet, movement: Movement): Moved {
  const { delta, opens = 0, order } = movement
  const stock = (pet.stock ?? 0) + delta
  if (stock < 0) throw insufficientStock(pet, movement)
  if (stock > stockMax) throw stockLimit(pet, movement)
  if (delta !== 0) writeCount(tx, pet, stock)
  recordMovements(tx, [[pet.id, movement]])
  const after = withStock(pet, delta === 0 ? pet.stock : stock, pet.openOrders + opens)
  return { pet: after, events: applyChanges(tx, [{ before: pet, after, order }]) }
}

/** Sets the count, creating the inventory item if there is none. */
export function setStock(
  tx: Transaction,
  pet: LockedPet,
  stock: number,
  movement: Pick<Movement, 'cause' | 'origin'>,
): Moved {
  const { pets, events } = setStocks(tx, [{ pet, stock }], movement)
  return { pet: pets[0] as LockedPet, events }
}

/** A count to set. */
interface StockTarget {
  readonly pet: LockedPet
  readonly stock: number
}

/** Sets the counts of several pets with about as many statements as for one. */
export function setStocks(
  tx: Transaction,
  targets: readonly StockTarget[],
  { cause, origin }: Pick<Movement, 'cause' | 'origin'>,
): { pets: LockedPet[]; events: readonly NewEvent[] } {
  tx.insert(
    setCounts,
    targets.map(({ pet, stock }) => ({ pet_id: pet.id, quantity: stock })),
  )
  recordMovements(
    tx,
    targets.map(({ pet, stock }) => [pet.id, { delta: stock - (pet.stock ?? 0), cause, origin }]),
  )
  const changes = targets.map(({ pet, stock }) => ({ before: pet, after: withStock(pet, stock) }))
  return { pets: changes.map(({ after }) => after), events: applyChanges(tx, changes) }
}

/** Removes the inventory item: the pet is then out of stock. */
export function removeStock(tx: Transaction, pet: LockedPet, origin: Origin): Moved {
  removeItem(tx, pet, origin)
  const after = withStock(pet, undefined)
  return { pet: after, events: applyChanges(tx, [{ before: pet, after }]) }
}

/** Removes the inventory item of a pet that is being deleted, without updating its status. */
export function removeLastStock(tx: Transaction, pet: LockedPet, origin: Origin): readonly NewEvent[] {
  removeItem(tx, pet, origin)
  return eventsOf({ before: pet, after: { ...pet, stock: undefined } })
}

function removeItem(tx: Transaction, { id, stock = 0 }: LockedPet, origin: Origin): void {
  tx.send('DELETE FROM inventory WHERE pet_id = $1', [id])
  recordMovements(tx, [[id, { delta: -stock, cause: 'removed', origin }]])
}

const intoInventory: Insert<{ pet_id: number; quantity: number }> = {
  table: 'inventory',
  columns: ['pet_id', 'quantity'],
}
const setCounts: typeof intoInventory = {
  ...intoInventory,
  replaces: ['pet_id'],
}
const stockCount: Count = { table: 'inventory', key: 'pet_id', column: 'quantity' }

/** The table also has a CHECK against negative counts. */
function writeCount(tx: Transaction, { id, stock }: LockedPet, to: number): void {
  if (stock === undefined) tx.insert(intoInventory, [{ pet_id: id, quantity: to }])
  else tx.add(stockCount, id, to - stock)
}

/** The pet with a new stock count and the status that follows. */
function withStock(pet: LockedPet, stock: number | undefined, openOrders = pet.openOrders): LockedPet {
  const { status } = followStock(pet, statusFromStock({ stock, openOrders }))
  return { ...pet, stock, openOrders, status }
}

/** Updates the status of pets whose stock changed, and returns the events. */
function applyChanges(tx: Transaction, changes: readonly StockChange[]): readonly NewEvent[] {
  for (const { after } of changes) tx.keep(petLock, after)
  const petsToUpdate = changes.filter(({ before, after }) => before.status !== after.status).map(({ after }) => after)
  for (const [status, pets] of Map.groupBy(petsToUpdate, ({ status }) => status)) {
    for (const batch of byHundreds(pets)) {
      const ids = batch.map(({ id }) => id)
      tx.send(`UPDATE pets SET status = $1 WHERE id IN (${placeholderList(ids.length, 2)})`, [status, ...ids])
    }
  }
  return changes.flatMap(eventsOf)
}

/** A pet before and after a stock change. */
interface StockChange {
  readonly before: LockedPet
  readonly after: LockedPet
  /** The order that caused it. */
  readonly order?: Movement['order'] | undefined
}

/** The events of a stock change: the count, then the status. */
function eventsOf({ before, after, order }: StockChange): NewEvent[] {
  const from = before.stock ?? 0
  const to = after.stock ?? 0
  const events: NewEvent[] = []
  if (from !== to) {
    const data = showItem(itemOf(after, to))
    const previous = showItem(itemOf(before, from))
    const change = { data, before: previous, causeId: order?.id, keyId: order?.key_id }
    events.push({ type: stockEvents.changed, ...change })
    if (from > before.lowStockMax && to <= before.lowStockMax) events.push({ type: stockEvents.low, ...change })
    if (to === 0) events.push({ type: stockEvents.depleted, ...change })
  }
  if (before.status !== after.status) {
    events.push({ type: petEvents.updated, data: showPet(after), before: showPet(before) })
  }
  return events
}

function insufficientStock({ id, name, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'cannot be removed' : 'were ordered'
  return new ApiError(petErrors.insufficient_stock, `${name} (pet ${id}) has ${stock} left; ${-delta} ${what}.`)
}

function stockLimit({ id, name, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'added' : 'returned'
  const counts = `has ${formatNumber(stock)} in stock, of at most ${formatNumber(stockMax)}`
  return new ApiError(petErrors.stock_limit, `${name} (pet ${id}) ${counts}; ${formatNumber(delta)} cannot be ${what}.`)
}
