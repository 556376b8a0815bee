import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { PetRow, PetStatus } from '../db/tables.ts'
import { record } from '../events/record.ts'
import type { Id } from '../lib/int64.ts'
import { setStock } from '../stock/move.ts'
import { showPet } from '../stock/show.ts'
import { registered } from '../stock/status.ts'
import { knownCategory } from './known-category.ts'
import { insertPet } from './store.ts'

export interface NewPet {
  readonly name: string
  readonly categoryId: Id
  readonly status?: PetStatus | undefined
}

/** Adds an animal to the shop and puts one in stock, none when it arrives sold. */
export async function registerPet(tx: Transaction, { now }: Call, pet: NewPet): Promise<PetRow> {
  const { quantity, ...standing } = registered(pet.status ?? 'available')
  const row = await knownCategory(pet.categoryId, insertPet(tx, { ...pet, ...standing }))
  record(tx, { now }, { type: 'pet.created', data: showPet(row) })
  setStock(tx, { ...row, stock: undefined, openOrders: 0 }, quantity, { cause: 'registered', now })
  return row
}
