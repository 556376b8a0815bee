import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { PetRow, PetStatus } from '../db/tables.ts'
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
export async function registerPet(tx: Transaction, { now }: Call, wanted: NewPet): Promise<PetRow> {
  const { quantity, ...standing } = registered(wanted.status ?? 'available')
  const row = await knownCategory(wanted.categoryId, insertPet(tx, { ...wanted, ...standing }))
  const pet = { ...row, stock: undefined, openOrders: 0 }
  setStock(tx, pet, quantity, { cause: 'registered', now }, { type: 'pet.created', data: showPet(row) })
  return row
}
