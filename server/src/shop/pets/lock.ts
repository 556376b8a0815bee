import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction, Value } from '../../platform/db/database.ts'
import { placeholderList } from '../../platform/db/many.ts'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { petErrors } from './operations.ts'
import { showPet } from './show.ts'
import { petStatuses } from './status.ts'
import type { PetRow } from './store.ts'

/** A pet with its lock taken. Every change of a pet, its stock or its orders takes this lock first, so these values stay true. */
export interface LockedPet extends PetRow {
  /** The stock count; undefined if the pet has no inventory item. */
  readonly stock: number | undefined
  /** The number of open orders, counted up to two: it only matters whether there is another one besides the order at hand. */
  readonly openOrders: number
}

interface LockedPetRow extends PetRow {
  readonly quantity: number | null
  readonly open_orders: number
}

type LockPet = (tx: Transaction, params: readonly Value[]) => Awaitable<LockedPet | undefined>

/** A lock on the pet whose id matches an SQL condition, so that finding the id needs no extra round trip. */
export function createPetLock(condition: string): LockPet {
  const lock = createRowsLock(condition)
  return (tx, params) => after(lock(tx, params), firstPet)
}

/** A lock on all pets whose id matches an SQL condition, taken in order of id. */
function createRowsLock(condition: string) {
  // A separate statement, to see what was committed while the first one waited for the lock.
  const read = `SELECT id, name, category_id, status, held, (SELECT quantity FROM inventory WHERE pet_id = pets.id) AS quantity,
    (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id = pets.id AND complete = 0 LIMIT 2) AS open) AS open_orders
    FROM pets WHERE id ${condition}`
  return (tx: Transaction, params: readonly Value[]): Awaitable<LockedPetRow[]> => {
    const lock = tx.dialect.lockRows('pets', condition)
    if (lock !== undefined) tx.send(lock, params)
    return tx.query<LockedPetRow>(read, params)
  }
}

const firstPet = ([row]: LockedPetRow[]): LockedPet | undefined => row && toLockedPet(row)

function toLockedPet({ id, name, category_id, status, held, quantity, open_orders }: LockedPetRow): LockedPet {
  return { id, name, category_id, status, held, stock: quantity ?? undefined, openOrders: open_orders }
}

const lockPetById = createPetLock('= $1')
export const lockPet = (tx: Transaction, id: Id): Awaitable<LockedPet | undefined> => lockPetById(tx, [id])

/** Locks the pets that exist among these ids. Always in order of id, so that two transactions never deadlock. */
export async function lockPets(tx: Transaction, ids: readonly Id[]): Promise<LockedPet[]> {
  const rows = await createRowsLock(`IN (${placeholderList(ids.length)})`)(tx, ids)
  return rows.map(toLockedPet)
}

export const petNotFound = (id: Id) => new ApiError(petErrors.pet_not_found, `There is no pet ${id}.`)

/** Locks a pet and checks the request's If-Match. */
export async function lockMatchingPet(tx: Transaction, { mustMatch }: Call, id: Id): Promise<LockedPet> {
  const pet = await lockExistingPet(tx, id)
  mustMatch(showPet(pet))
  return pet
}

/** The same for a change that does not set the status: one that follows the stock may have changed, by a sale. */
export async function lockPetToEdit(tx: Transaction, { mustMatch }: Call, id: Id): Promise<LockedPet> {
  const pet = await lockExistingPet(tx, id)
  const statuses = pet.held === 1 ? [] : petStatuses
  mustMatch(showPet(pet), ...statuses.map((status) => showPet({ ...pet, status })))
  return pet
}

async function lockExistingPet(tx: Transaction, id: Id): Promise<LockedPet> {
  const pet = await lockPet(tx, id)
  if (!pet) throw petNotFound(id)
  return pet
}
