import { ApiError } from '../../platform/api/errors.ts'
import type { Origin } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { byHundreds, placeholderList, placeholders } from '../../platform/db/many.ts'
import type { NewEvent } from '../../platform/events/record.ts'
import { formatNumber } from '../../platform/lib/text.ts'
import { petErrors } from './kinds.ts'
import { type Movement, recordMovement, recordMovements } from './ledger.ts'
import type { LockedPet } from './lock.ts'
import { recordStock, type StockChange } from './record-stock.ts'
import { stockMax } from './shapes.ts'
import { followStock, statusFromStock } from './status.ts'

// The only functions that change stock. Each one updates the count, writes the ledger line, updates the pet's status, records all
// events (including `partOf`, the event of the larger change) and returns the changed pet. The statements depend only on the lock,
// so they are sent without waiting for their results.

/** Adds or takes stock. Adding creates the inventory item if there is none. */
export function moveStock(tx: Transaction, pet: LockedPet, movement: Movement, partOf?: NewEvent): LockedPet {
  const { delta, opens = 0, orderId, origin } = movement
  const stock = (pet.stock ?? 0) + delta
  if (stock < 0) throw insufficientStock(pet, movement)
  if (stock > stockMax) throw stockLimit(pet, movement)
  if (delta !== 0) writeCount(tx, pet, stock)
  recordMovement(tx, pet.id, movement)
  const after = withStock(pet, delta === 0 ? pet.stock : stock, pet.openOrders + opens)
  applyChanges(tx, [{ before: pet, after, partOf, orderId }], origin)
  return after
}

/** Sets the count, creating the inventory item if there is none. */
export function setStock(
  tx: Transaction,
  pet: LockedPet,
  stock: number,
  movement: Pick<Movement, 'cause' | 'origin'>,
  partOf?: NewEvent,
): LockedPet {
  const [after] = setStocks(tx, [{ pet, stock, partOf }], movement)
  return after as LockedPet
}

/** A count to set, and the event this is part of. */
interface StockTarget {
  readonly pet: LockedPet
  readonly stock: number
  readonly partOf?: NewEvent | undefined
}

/** Sets the counts of several pets with about as many statements as for one. */
export function setStocks(
  tx: Transaction,
  targets: readonly StockTarget[],
  { cause, origin }: Pick<Movement, 'cause' | 'origin'>,
): LockedPet[] {
  for (const batch of byHundreds(targets)) {
    tx.send(
      `INSERT INTO inventory (pet_id, quantity) VALUES ${placeholders(batch.length, 2)}
       ON CONFLICT (pet_id) DO UPDATE SET quantity = excluded.quantity`,
      batch.flatMap(({ pet, stock }) => [pet.id, stock]),
    )
  }
  recordMovements(
    tx,
    targets.map(({ pet, stock }) => [pet.id, { delta: stock - (pet.stock ?? 0), cause, origin }]),
  )
  const changes = targets.map(({ pet, stock, partOf }) => ({ before: pet, after: withStock(pet, stock), partOf }))
  applyChanges(tx, changes, origin)
  return changes.map(({ after }) => after)
}

/** Removes the inventory item: the pet is then out of stock. */
export function removeStock(tx: Transaction, pet: LockedPet, origin: Origin): LockedPet {
  removeItem(tx, pet, origin)
  const after = withStock(pet, undefined)
  applyChanges(tx, [{ before: pet, after }], origin)
  return after
}

/** Removes the inventory item of a pet that is being deleted, without updating its status. */
export function removeLastStock(tx: Transaction, pet: LockedPet, origin: Origin, partOf?: NewEvent): void {
  removeItem(tx, pet, origin)
  recordStock(tx, [{ before: pet, after: { ...pet, stock: undefined }, partOf }], origin)
}

function removeItem(tx: Transaction, { id, stock = 0 }: LockedPet, origin: Origin): void {
  tx.send('DELETE FROM inventory WHERE pet_id = $1', [id])
  recordMovement(tx, id, { delta: -stock, cause: 'removed', origin })
}

/** The table also has a CHECK against negative counts. */
function writeCount(tx: Transaction, { id, stock }: LockedPet, to: number): void {
  if (stock === undefined) tx.send('INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)', [id, to])
  else tx.send('UPDATE inventory SET quantity = quantity + $2 WHERE pet_id = $1', [id, to - stock])
}

/** The pet with a new stock count and the status that follows. */
function withStock(pet: LockedPet, stock: number | undefined, openOrders = pet.openOrders): LockedPet {
  const { status } = followStock(pet, statusFromStock({ stock, openOrders }))
  return { ...pet, stock, openOrders, status }
}

/** Updates the status of pets whose stock changed, and records the events. */
function applyChanges(tx: Transaction, changes: readonly StockChange[], origin: Origin): void {
  const petsToUpdate = changes.filter(({ before, after }) => before.status !== after.status).map(({ after }) => after)
  for (const [status, pets] of Map.groupBy(petsToUpdate, ({ status }) => status)) {
    for (const batch of byHundreds(pets)) {
      const ids = batch.map(({ id }) => id)
      tx.send(`UPDATE pets SET status = $1 WHERE id IN (${placeholderList(ids.length, 2)})`, [status, ...ids])
    }
  }
  recordStock(tx, changes, origin)
}

function insufficientStock({ id, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'cannot be removed' : 'were ordered'
  return new ApiError(petErrors.insufficient_stock, `Pet ${id} has ${stock} left; ${-delta} ${what}.`)
}

function stockLimit({ id, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'added' : 'returned'
  const counts = `has ${formatNumber(stock)} in stock, of at most ${formatNumber(stockMax)}`
  return new ApiError(petErrors.stock_limit, `Pet ${id} ${counts}; ${formatNumber(delta)} cannot be ${what}.`)
}
