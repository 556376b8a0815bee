import type { Transaction, Value } from '../db/database.ts'
import { byHundreds, placeholderList } from '../db/many.ts'
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
  const lock = lockingRows(condition)
  return (tx, params) => after(lock(tx, params), firstPet)
}

/** Locks every pet whose id meets the condition, in the order of their ids. */
function lockingRows(condition: string) {
  const lock = `SELECT 1 FROM pets WHERE id ${condition} ORDER BY id `
  // A statement of its own: it has to see what was committed while the other one waited for the lock.
  const read = `SELECT id, name, category_id, status, held, (SELECT quantity FROM inventory WHERE pet_id = pets.id) AS quantity,
    (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id = pets.id AND complete = 0 LIMIT 2) AS open) AS open_orders
    FROM pets WHERE id ${condition}`
  return (tx: Transaction, params: readonly Value[]): Awaitable<HeldRow[]> => {
    const { forUpdate } = tx.dialect
    if (forUpdate !== '') tx.send(lock + forUpdate, params)
    return tx.query<HeldRow>(read, params)
  }
}

const firstPet = ([row]: HeldRow[]): LockedPet | undefined => row && lockedPet(row)

function lockedPet({ id, name, category_id, status, held, quantity, open_orders }: HeldRow): LockedPet {
  return { id, name, category_id, status, held, stock: quantity ?? undefined, openOrders: open_orders }
}

const lockPetById = lockingPet('= $1')
export const lockPet = (tx: Transaction, id: Id): Awaitable<LockedPet | undefined> => lockPetById(tx, [id])

/** Locks those of these pets that there are. All in the order of their ids: two of these never wait for each other in a circle. */
export async function lockPets(tx: Transaction, ids: readonly number[]): Promise<LockedPet[]> {
  const inOrder = ids.toSorted((one, other) => one - other)
  const locked: LockedPet[] = []
  for (const some of byHundreds(inOrder)) {
    const rows = await lockingRows(`IN (${placeholderList(some.length)})`)(tx, some)
    locked.push(...rows.map(lockedPet))
  }
  return locked
}
