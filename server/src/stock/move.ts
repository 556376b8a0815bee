import { ApiError } from '../api/errors.ts'
import type { Transaction } from '../db/database.ts'
import type { Happening } from '../events/record.ts'
import { type Movement, recordMovement } from './ledger.ts'
import type { LockedPet } from './lock.ts'
import { recordStock } from './record.ts'
import { afterStockChange, stockSays } from './status.ts'

// The only ways to change a stock. Each changes the count, writes the ledger's line, gives the pet the status that its stock then
// says, records the events of that and of what it is part of, and answers with the pet as it then is. The statements depend on
// nothing but the lock, so they are only sent.

/** Moves stock in or out. What comes in where there is no entry makes one. */
export function moveStock(tx: Transaction, pet: LockedPet, movement: Movement, partOf?: Happening): LockedPet {
  const { delta, opens = 0 } = movement
  const stock = (pet.stock ?? 0) + delta
  if (stock < 0) throw tooLittle(pet, movement)
  if (delta !== 0) writeCount(tx, pet, stock)
  recordMovement(tx, pet.id, movement)
  const held = { stock: delta === 0 ? pet.stock : stock, openOrders: pet.openOrders + opens }
  return settle(tx, pet, held, movement.now, partOf)
}

/** Sets the count, making the entry where there is none. */
export function setStock(
  tx: Transaction,
  pet: LockedPet,
  stock: number,
  { cause, now }: Pick<Movement, 'cause' | 'now'>,
  partOf?: Happening,
): LockedPet {
  writeCount(tx, pet, stock)
  recordMovement(tx, pet.id, { delta: stock - (pet.stock ?? 0), cause, now })
  return settle(tx, pet, { stock, openOrders: pet.openOrders }, now, partOf)
}

/** Removes the entry: the pet then counts as out of stock. */
export function removeStock(tx: Transaction, pet: LockedPet, now: number): LockedPet {
  removeEntry(tx, pet, now)
  return settle(tx, pet, { stock: undefined, openOrders: pet.openOrders }, now)
}

/** Removes the entry of a pet that is about to be deleted: no status follows. */
export function removeLastStock(tx: Transaction, pet: LockedPet, now: number, partOf?: Happening): void {
  removeEntry(tx, pet, now)
  recordStock(tx, pet, { ...pet, stock: undefined }, now, partOf)
}

function removeEntry(tx: Transaction, { id, stock = 0 }: LockedPet, now: number): void {
  tx.send('DELETE FROM inventory WHERE pet_id = $1', [id])
  recordMovement(tx, id, { delta: -stock, cause: 'removed', now })
}

/** The table refuses a negative count besides. */
function writeCount(tx: Transaction, { id, stock }: LockedPet, to: number): void {
  if (stock === undefined) tx.send('INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)', [id, to])
  else tx.send('UPDATE inventory SET quantity = quantity + $2 WHERE pet_id = $1', [id, to - stock])
}

/** Gives the pet the status that its changed stock says. */
function settle(
  tx: Transaction,
  before: LockedPet,
  held: Pick<LockedPet, 'stock' | 'openOrders'>,
  now: number,
  partOf?: Happening,
): LockedPet {
  const { status } = afterStockChange(before, stockSays(held))
  if (status !== before.status) tx.send('UPDATE pets SET status = $2 WHERE id = $1', [before.id, status])
  const after = { ...before, ...held, status }
  recordStock(tx, before, after, now, partOf)
  return after
}

function tooLittle({ id, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'cannot go out' : 'were ordered'
  return new ApiError('insufficient_stock', `Pet ${id} has ${stock} left; ${-delta} ${what}.`)
}
