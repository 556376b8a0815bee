import { ApiError } from '../api/errors.ts'
import type { Transaction } from '../db/database.ts'
import { type Movement, recordMovement } from './ledger.ts'
import type { LockedPet } from './lock.ts'
import { afterStockChange, stockSays } from './status.ts'

// The only ways to change a stock. Each changes the count, writes the ledger's line and gives the pet the status that its stock
// then says, and answers with the pet as it then is. The statements depend on nothing but the lock, so they are sent together.

/** Moves stock in or out. What comes in where there is no entry makes one. */
export async function moveStock(tx: Transaction, pet: LockedPet, movement: Movement): Promise<LockedPet> {
  const { delta, opens = 0 } = movement
  const stock = (pet.stock ?? 0) + delta
  if (stock < 0) throw tooLittle(pet, movement)
  const changed = { ...pet, stock: delta === 0 ? pet.stock : stock, openOrders: pet.openOrders + opens }
  const [settled] = await Promise.all([
    settle(tx, changed),
    delta !== 0 && writeCount(tx, pet, stock),
    recordMovement(tx, pet.id, movement),
  ])
  return settled
}

/** Sets the count, making the entry where there is none. */
export async function setStock(
  tx: Transaction,
  pet: LockedPet,
  stock: number,
  { cause, now }: Pick<Movement, 'cause' | 'now'>,
): Promise<LockedPet> {
  const delta = stock - (pet.stock ?? 0)
  const [settled] = await Promise.all([
    settle(tx, { ...pet, stock }),
    writeCount(tx, pet, stock),
    recordMovement(tx, pet.id, { delta, cause, now }),
  ])
  return settled
}

/** Removes the entry: the pet then counts as out of stock. */
export async function removeStock(tx: Transaction, pet: LockedPet, now: number): Promise<LockedPet> {
  const [settled] = await Promise.all([
    settle(tx, { ...pet, stock: undefined }),
    tx.query('DELETE FROM inventory WHERE pet_id = $1', [pet.id]),
    recordMovement(tx, pet.id, { delta: -(pet.stock ?? 0), cause: 'removed', now }),
  ])
  return settled
}

/** The table refuses a negative count besides. */
async function writeCount(tx: Transaction, { id, stock }: LockedPet, to: number): Promise<void> {
  await (stock === undefined
    ? tx.query('INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)', [id, to])
    : tx.query('UPDATE inventory SET quantity = quantity + $2 WHERE pet_id = $1', [id, to - stock]))
}

async function settle(tx: Transaction, pet: LockedPet): Promise<LockedPet> {
  const { status } = afterStockChange(pet, stockSays(pet))
  if (status !== pet.status) await tx.query('UPDATE pets SET status = $2 WHERE id = $1', [pet.id, status])
  return { ...pet, status }
}

function tooLittle({ id, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'cannot go out' : 'were ordered'
  return new ApiError('insufficient_stock', `Pet ${id} has ${stock} left; ${-delta} ${what}.`)
}
