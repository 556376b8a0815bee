import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { petEvents } from './kinds.ts'
import { setStock } from './move-stock.ts'
import { showPet } from './show.ts'
import { initialState, type PetStatus } from './status.ts'
import type { PetRow } from './store.ts'
import { insertPet } from './store.ts'
import { rejectUnknownCategory } from './unknown-category.ts'

export interface NewPet {
  readonly name: string
  readonly categoryId: Id
  readonly status?: PetStatus | undefined
}

/** Registers a pet with one in stock, or none if it is sold. */
export async function registerPet(tx: Transaction, call: Call, wanted: NewPet): Promise<PetRow> {
  const { quantity, ...state } = initialState(wanted.status ?? 'available')
  const row = await rejectUnknownCategory(wanted.categoryId, insertPet(tx, { ...wanted, ...state }))
  const pet = { ...row, stock: undefined, openOrders: 0 }
  setStock(tx, pet, quantity, { cause: 'registered', origin: call }, { type: petEvents.created, data: showPet(row) })
  return row
}
