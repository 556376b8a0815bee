import type { Transaction } from '../db/database.ts'
import type { PetRow, StockCause } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { setStanding } from '../pets/store.ts'
import { afterStockChange, stockSays } from './status.ts'

// Every change of stock goes through here, under the pet's lock, and has a line in the ledger: for each pet the ledger's
// deltas add up to what is in stock.

interface Movement {
  readonly petId: number
  readonly delta: number
  readonly cause: StockCause
  readonly now: number
  readonly orderId?: number
  readonly reason?: string | undefined
}

/**
 * Adds `delta` in one statement that does nothing when too little would be left; the count then, or undefined. The line in the
 * ledger is up to the caller: it names the order, which is placed only when there is enough.
 */
export async function changeStock(
  tx: Transaction,
  { petId, delta }: Pick<Movement, 'petId' | 'delta'>,
): Promise<number | undefined> {
  const [row] = await tx.query<{ quantity: number }>(
    'UPDATE inventory SET quantity = quantity + $2 WHERE pet_id = $1 AND quantity + $2 >= 0 RETURNING quantity',
    [petId, delta],
  )
  return row?.quantity
}

/** Sets the count, making the entry where there is none. `before` is what it was under the pet's lock. */
export async function setStock(
  tx: Transaction,
  { petId, before, quantity, now }: { petId: number; before: number; quantity: number; now: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)
     ON CONFLICT (pet_id) DO UPDATE SET quantity = excluded.quantity`,
    [petId, quantity],
  )
  await recordMovement(tx, { petId, delta: quantity - before, cause: 'set', now })
}

/** Adds to the stock, making the entry where there is none. Never takes: the check refuses a negative row as it is. */
export async function addStock(tx: Transaction, movement: Movement): Promise<void> {
  await tx.query(
    `INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)
     ON CONFLICT (pet_id) DO UPDATE SET quantity = inventory.quantity + excluded.quantity`,
    [movement.petId, movement.delta],
  )
  await recordMovement(tx, movement)
}

/** Removes the entry; false when there is none. */
export async function removeStock(tx: Transaction, petId: number, now: number): Promise<boolean> {
  const [row] = await tx.query<{ quantity: number }>('DELETE FROM inventory WHERE pet_id = $1 RETURNING quantity', [
    petId,
  ])
  if (!row) return false
  await recordMovement(tx, { petId, delta: -row.quantity, cause: 'removed', now })
  return true
}

export async function recordMovement(tx: Transaction, movement: Movement): Promise<void> {
  const { petId, delta, cause, orderId = null, reason = null, now } = movement
  if (delta === 0) return
  await tx.query(
    'INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at) VALUES ($1, $2, $3, $4, $5, $6)',
    [petId, delta, cause, orderId, reason, now],
  )
}

/** How many are in stock (an absent entry counts as none), and whether an order is open. */
export async function stockOf(tx: Transaction, petId: number): Promise<{ quantity: number; openOrders: boolean }> {
  const [row] = await tx.query<{ quantity: number; open_orders: number }>(
    `SELECT coalesce((SELECT quantity FROM inventory WHERE pet_id = $1), 0) AS quantity,
            (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id = $1 AND complete = 0 LIMIT 1) AS open) AS open_orders`,
    [petId],
  )
  return { quantity: row?.quantity ?? 0, openOrders: (row?.open_orders ?? 0) > 0 }
}

export const hasOpenOrders = async (tx: Transaction, petId: number): Promise<boolean> =>
  (await stockOf(tx, petId)).openOrders

/** Gives a locked pet the status that its stock now says, unless a person holds it. */
export async function settleStatus<P extends PetRow>(tx: Transaction, pet: P, quantity = 0): Promise<P> {
  // With something in stock, open orders do not matter and need not be looked for.
  const stock = quantity > 0 ? { quantity, openOrders: false } : await stockOf(tx, pet.id)
  const standing = afterStockChange(pet, stockSays(stock))
  if (standing.status !== pet.status) await setStanding(tx, pet.id, standing)
  return { ...pet, ...standing }
}

export async function quantityOf(tx: Transaction, petId: Id): Promise<number | undefined> {
  const [row] = await tx.query<{ quantity: number }>('SELECT quantity FROM inventory WHERE pet_id = $1', [petId])
  return row?.quantity
}
