import type { Transaction, Value } from '../db/database.ts'
import type { PetRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'

/** A pet under its lock, without which nobody changes a pet, its stock or its orders: what it says stays true. */
export interface LockedPet extends PetRow {
  /** How many are in stock; undefined: there is no inventory entry. */
  readonly stock: number | undefined
  /** How many of its orders are open, counted up to two: one more than the one at hand is all that matters. */
  readonly openOrders: number
}

export const lockPet = (tx: Transaction, id: Id): Promise<LockedPet | undefined> => lockPetWhoseId(tx, '= $1', [id])

/** The pet whose id is equal to what `condition` says in SQL, so that finding it out needs no round trip of its own. */
export async function lockPetWhoseId(
  tx: Transaction,
  condition: string,
  params: readonly Value[],
): Promise<LockedPet | undefined> {
  const [[pet], [held]] = await Promise.all([
    tx.query<PetRow>(
      `SELECT id, name, category_id, status, held FROM pets WHERE id ${condition} ${tx.dialect.forUpdate}`,
      params,
    ),
    // A statement of its own: it has to see what was committed while the first one waited for the lock.
    tx.query<{ quantity: number | null; open_orders: number }>(
      `SELECT (SELECT quantity FROM inventory WHERE pet_id ${condition}) AS quantity,
              (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id ${condition} AND complete = 0 LIMIT 2) AS open) AS open_orders`,
      params,
    ),
  ])
  return pet && { ...pet, stock: held?.quantity ?? undefined, openOrders: held?.open_orders ?? 0 }
}
