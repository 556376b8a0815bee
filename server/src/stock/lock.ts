import type { Transaction, Value } from '../db/database.ts'
import type { PetRow } from '../db/tables.ts'
import { type Awaitable, after } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'

/** A pet under its lock, without which nobody changes a pet, its stock or its orders: what it says stays true. */
export interface LockedPet extends PetRow {
  /** How many are in stock; undefined: there is no inventory entry. */
  readonly stock: number | undefined
  /** How many of its orders are open, counted up to two: one more than the one at hand is all that matters. */
  readonly openOrders: number
}

interface HeldRow extends PetRow {
  readonly quantity: number | null
  readonly open_orders: number
}

type LockPet = (tx: Transaction, params: readonly Value[]) => Awaitable<LockedPet | undefined>

/** Locks the pet whose id is equal to what `condition` says in SQL, so that finding it out needs no round trip of its own. */
export function lockingPet(condition: string): LockPet {
  const lock = `SELECT 1 FROM pets WHERE id ${condition} `
  // A statement of its own: it has to see what was committed while the other one waited for the lock.
  const read = `SELECT id, name, category_id, status, held, (SELECT quantity FROM inventory WHERE pet_id = pets.id) AS quantity,
    (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id = pets.id AND complete = 0 LIMIT 2) AS open) AS open_orders
    FROM pets WHERE id ${condition}`
  return (tx, params) => {
    const { forUpdate } = tx.dialect
    if (forUpdate !== '') tx.send(lock + forUpdate, params)
    return after(tx.query<HeldRow>(read, params), lockedPet)
  }
}

function lockedPet(rows: HeldRow[]): LockedPet | undefined {
  if (!rows[0]) return undefined
  const { id, name, category_id, status, held, quantity, open_orders } = rows[0]
  return { id, name, category_id, status, held, stock: quantity ?? undefined, openOrders: open_orders }
}

const lockPetById = lockingPet('= $1')
export const lockPet = (tx: Transaction, id: Id): Awaitable<LockedPet | undefined> => lockPetById(tx, [id])
