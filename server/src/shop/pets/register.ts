import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { recordEvents } from '../../platform/events/record.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { rejectUnknownCategory } from '../categories/lock.ts'
import { setStock } from './move-stock.ts'
import { petEvents } from './operations.ts'
import { showPet } from './show.ts'
import { initialState, type PetStatus } from './status.ts'
import { insertPet, type PetRow } from './store.ts'

export interface NewPet {
  readonly name: string
  readonly categoryId: Id
  readonly status?: PetStatus | undefined
}

/** Registers a pet with one in stock, or none if it is sold. */
export async function registerPet(tx: Transaction, call: Call, wanted: NewPet): Promise<PetRow> {
  const { quantity, ...state } = initialState(wanted.status ?? 'available')
  const row = await rejectUnknownCategory(wanted.categoryId, insertPet(tx, { ...wanted, ...state }))
  // Low stock does not matter: the first count never falls.
  const pet = { ...row, stock: undefined, openOrders: 0, lowStockMax: 0 }
  const { events } = setStock(tx, pet, quantity, { cause: 'registered', origin: call })
  recordEvents(tx, call, [{ type: petEvents.created, data: showPet(row) }, ...events])
  return row
}
