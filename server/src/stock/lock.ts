import type { Transaction, Value } from '../db/database.ts'
import type { PetRow } from '../db/tables.ts'
import { type Awaitable, afterBoth } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'

/** A pet under its lock, without which nobody changes a pet, its stock or its orders: what it says stays true. */
export interface LockedPet extends PetRow {
  /** How many are in stock; undefined: there is no inventory entry. */
  readonly stock: number | undefined
  /** How many of its orders are open, counted up to two: one more than the one at hand is all that matters. */
  readonly openOrders: number
}

interface HeldRow {
  readonly quantity: number | null
  readonly open_orders: number
}

type LockPet = (tx: Transaction, params: readonly Value[]) => Awaitable<LockedPet | undefined>

/** Locks the pet whose id is equal to what `condition` says in SQL, so that finding it out needs no round trip of its own. */
export function lockingPet(condition: string): LockPet {
  const pet = `SELECT id, name, category_id, status, held FROM pets WHERE id ${condition} `
  // A statement of its own: it has to see what was committed while the first one waited for the lock.
  const held = `SELECT (SELECT quantity FROM inventory WHERE pet_id ${condition}) AS quantity,
    (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id ${condition} AND complete = 0 LIMIT 2) AS open) AS open_orders`
  return (tx, params) =>
    afterBoth(tx.query<PetRow>(pet + tx.dialect.forUpdate, params), tx.query<HeldRow>(held, params), lockedPet)
}

function lockedPet(pets: PetRow[], counts: HeldRow[]): LockedPet | undefined {
  const pet = pets[0]
  const held = counts[0]
  return pet && { ...pet, stock: held?.quantity ?? undefined, openOrders: held?.open_orders ?? 0 }
}

const lockPetById = lockingPet('= $1')
export const lockPet = (tx: Transaction, id: Id): Awaitable<LockedPet | undefined> => lockPetById(tx, [id])
