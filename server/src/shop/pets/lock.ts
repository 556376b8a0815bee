import { ApiError } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { RowLock, Transaction, Value } from '../../platform/db/database.ts'
import { placeholderList } from '../../platform/db/many.ts'
import { lockRows } from '../../platform/db/row-lock.ts'
import { type Awaitable, firstOf } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { lowStockMaxSql } from './low-stock.ts'
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
  /** The count up to which the shop calls stock low. */
  readonly lowStockMax: number
}

interface LockedPetRow extends PetRow {
  readonly quantity: number | null
  readonly open_orders: number
  readonly low_stock_max: number
}

/** The lock of every change of a pet, its stock or its orders. */
export const petLock: RowLock<LockedPet> = {
  table: 'pets',
  select: `SELECT id, name, category_id, status, held, (SELECT quantity FROM inventory WHERE pet_id = pets.id) AS quantity,
    (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id = pets.id AND complete = 0 LIMIT 2) AS open) AS open_orders,
    ${lowStockMaxSql} AS low_stock_max FROM pets WHERE id`,
  toRow: ({ quantity, open_orders, low_stock_max, ...pet }: LockedPetRow) => ({
    ...pet,
    stock: quantity ?? undefined,
    openOrders: open_orders,
    lowStockMax: low_stock_max,
  }),
}

/** Locks the pet whose id matches an SQL condition, so that finding the id needs no extra round trip. */
export const createPetLock =
  (condition: string) =>
  (tx: Transaction, params: readonly Value[]): Awaitable<LockedPet | undefined> =>
    firstOf(lockRows(tx, petLock, condition, params))

export const lockPet = (tx: Transaction, id: Id): Awaitable<LockedPet | undefined> => tx.lock(petLock, id)

/** Locks the pets that exist among these ids. Always in order of id, so that two transactions never deadlock. */
export async function lockPets(tx: Transaction, ids: readonly Id[]): Promise<LockedPet[]> {
  return lockRows(tx, petLock, `IN (${placeholderList(ids.length)})`, ids)
}

export const petNotFound = (id: Id) => new ApiError(petErrors.pet_not_found, `There is no pet ${id}.`)

/** Locks a pet and checks the request's If-Match. */
export async function lockMatchingPet(tx: Transaction, { mustMatch }: Call, id: Id): Promise<LockedPet> {
  const pet = await lockExistingPet(tx, id)
  mustMatch(showPet(pet))
  return pet
}

/** The same for a change that does not set the status: a status that follows the stock may have changed through a sale. */
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
