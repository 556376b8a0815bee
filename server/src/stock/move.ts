import { ApiError } from '../api/errors.ts'
import type { Transaction } from '../db/database.ts'
import { byHundreds, placeholderList, placeholders } from '../db/many.ts'
import type { Happening } from '../events/record.ts'
import { type Movement, recordMovement, recordMovements } from './ledger.ts'
import type { LockedPet } from './lock.ts'
import { recordStock, type StockChange } from './record.ts'
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
  const after = withStock(pet, delta === 0 ? pet.stock : stock, pet.openOrders + opens)
  settle(tx, [{ before: pet, after, partOf }], movement.now)
  return after
}

/** Sets the count, making the entry where there is none. */
export function setStock(
  tx: Transaction,
  pet: LockedPet,
  stock: number,
  movement: Pick<Movement, 'cause' | 'now'>,
  partOf?: Happening,
): LockedPet {
  const [after] = setStocks(tx, [{ pet, stock, partOf }], movement)
  return after as LockedPet
}

/** A count to be set, and the event that this is part of. */
interface Count {
  readonly pet: LockedPet
  readonly stock: number
  readonly partOf?: Happening | undefined
}

/** The same of several pets, by as many statements as for one, or a few more. */
export function setStocks(
  tx: Transaction,
  counts: readonly Count[],
  { cause, now }: Pick<Movement, 'cause' | 'now'>,
): LockedPet[] {
  for (const some of byHundreds(counts)) {
    tx.send(
      `INSERT INTO inventory (pet_id, quantity) VALUES ${placeholders(some.length, 2)}
       ON CONFLICT (pet_id) DO UPDATE SET quantity = excluded.quantity`,
      some.flatMap(({ pet, stock }) => [pet.id, stock]),
    )
  }
  recordMovements(
    tx,
    counts.map(({ pet, stock }) => [pet.id, { delta: stock - (pet.stock ?? 0), cause, now }]),
  )
  const changes = counts.map(({ pet, stock, partOf }) => ({ before: pet, after: withStock(pet, stock), partOf }))
  settle(tx, changes, now)
  return changes.map(({ after }) => after)
}

/** Removes the entry: the pet then counts as out of stock. */
export function removeStock(tx: Transaction, pet: LockedPet, now: number): LockedPet {
  removeEntry(tx, pet, now)
  const after = withStock(pet, undefined)
  settle(tx, [{ before: pet, after }], now)
  return after
}

/** Removes the entry of a pet that is about to be deleted: no status follows. */
export function removeLastStock(tx: Transaction, pet: LockedPet, now: number, partOf?: Happening): void {
  removeEntry(tx, pet, now)
  recordStock(tx, [{ before: pet, after: { ...pet, stock: undefined }, partOf }], now)
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

/** The pet with another stock, and the status that this says. */
function withStock(pet: LockedPet, stock: number | undefined, openOrders = pet.openOrders): LockedPet {
  const { status } = afterStockChange(pet, stockSays({ stock, openOrders }))
  return { ...pet, stock, openOrders, status }
}

/** Gives pets the status that their changed stock says, and records what happened. */
function settle(tx: Transaction, changes: readonly StockChange[], now: number): void {
  const moved = changes.filter(({ before, after }) => before.status !== after.status).map(({ after }) => after)
  for (const [status, pets] of Map.groupBy(moved, ({ status }) => status)) {
    for (const some of byHundreds(pets)) {
      const ids = some.map(({ id }) => id)
      tx.send(`UPDATE pets SET status = $1 WHERE id IN (${placeholderList(ids.length, 2)})`, [status, ...ids])
    }
  }
  recordStock(tx, changes, now)
}

function tooLittle({ id, stock = 0 }: LockedPet, { delta, cause }: Movement): ApiError {
  const what = cause === 'adjusted' ? 'cannot go out' : 'were ordered'
  return new ApiError('insufficient_stock', `Pet ${id} has ${stock} left; ${-delta} ${what}.`)
}
