import { ApiError } from '../api/errors.ts'
import type { Transaction } from '../db/database.ts'
import { type Movement, recordMovement } from './ledger.ts'
import type { LockedPet } from './lock.ts'
import { afterStockChange, stockSays } from './status.ts'

// The only ways to change a stock. Each changes the count, writes the ledger's line and gives the pet the status that its stock
// then says, and answers with the pet as it then is. The statements depend on nothing but the lock, so they are only sent.

/** Moves stock in or out. What comes in where there is no entry makes one. */
export function moveStock(tx: Transaction, pet: LockedPet, movement: Movement): LockedPet {
  const { delta, opens = 0 } = movement
  const stock = (pet.stock ?? 0) + delta
  if (stock < 0) throw tooLittle(pet, movement)
  if (delta !== 0) writeCount(tx, pet, stock)
  recordMovement(tx, pet.id, movement)
  return settle(tx, { ...pet, stock: delta === 0 ? pet.stock : stock, openOrders: pet.openOrders + opens })
}

/** Sets the count, making the entry where there is none. */
export function setStock(
  tx: Transaction,
  pet: LockedPet,
  stock: number,
  { cause, now }: Pick<Movement, 'cause' | 'now'>,
): LockedPet {
  writeCount(tx, pet, stock)
  recordMovement(tx, pet.id, { delta: stock - (pet.stock ?? 0), cause, now })
  return settle(tx, { ...pet, stock })
}

/** Removes the entry: the pet then counts as out of stock. */
export function removeStock(tx: Transaction, pet: LockedPet, now: number): LockedPet {
  tx.send('DELETE FROM inventory WHERE pet_id = $1', [pet.id])
  recordMovement(tx, pet.id, { delta: -(pet.stock ?? 0), cause: 'removed', now })
  return settle(tx, { ...pet, stock: undefined })
}

/** The table refuses a negative count besides. */
function writeCount(tx: Transaction, { id, stock }: LockedPet, to: number): void {
  if (stock === undefined) tx.send('INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)', [id, to])
  else tx.send('UPDATE inventory SET quantity = quantity + $2 WHERE pet_id = $1', [id, to - stock])
}

function settle(tx: Transaction, pet: LockedPet): LockedPet {
  const { status } = afterStockChange(pet, stockSays(pet))
  if (status !== pet.status) tx.send('UPDATE pets SET status = $2 WHERE id = $1', [pet.id, status])
  return { ...pet, status }
}

function tooLittle({ id, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'cannot go out' : 'were ordered'
  return new ApiError('insufficient_stock', `Pet ${id} has ${stock} left; ${-delta} ${what}.`)
}
