import { ApiError, validationFailed } from '../api/errors.ts'
import { keyset, page } from '../api/list-page.ts'
import { created, noContent, ok, type Route, read, write } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { InventoryRow, PetRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { lockPet } from '../pets/store.ts'
import { changeStock, quantityOf, recordMovement, removeStock, setStock, settleStatus } from '../stock/move.ts'
import * as operations from './operations.ts'
import * as store from './store.ts'

export const inventoryRoutes: Route[] = [
  read(operations.listInventory, async (db, { query }) => {
    const asked = keyset(query, store.inventorySorts, 'petId')
    return page(await store.findInventory(db, query, asked), asked, 'petId', showItem)
  }),

  read(operations.getInventoryItem, async (db, { params }) => {
    const item = await store.findInventoryItem(db, params.petId)
    if (!item) throw notFound(params.petId)
    return ok(showItem(item))
  }),

  write(operations.setInventoryItem, async (tx, { params, body, mustMatch, now }) => {
    const pet = await lockPet(tx, params.petId)
    if (!pet) throw new ApiError('pet_not_found', `There is no pet ${params.petId}.`)
    const before = await quantityOf(tx, pet.id)
    mustMatch(before === undefined ? undefined : showStock(pet, before))
    await setStock(tx, { petId: pet.id, before: before ?? 0, quantity: body.quantity, now })
    const item = showStock(await settleStatus(tx, pet, body.quantity), body.quantity)
    return before === undefined ? created(item, `/store/inventory/${pet.id}`) : ok(item)
  }),

  write(operations.deleteInventoryItem, async (tx, { params, mustMatch, now }) => {
    const { pet, quantity } = await lockEntry(tx, params.petId)
    mustMatch(showStock(pet, quantity))
    await removeStock(tx, pet.id, now)
    await settleStatus(tx, pet)
    return noContent()
  }),

  write(operations.adjustInventory, async (tx, { params, body, now }) => {
    const { pet, quantity: before } = await lockEntry(tx, params.petId)
    if (before + body.delta > operations.stockMax) {
      const message = `must leave at most ${operations.stockMax} in stock`
      throw validationFailed([{ in: 'body', path: '/delta', message }])
    }
    const movement = { petId: pet.id, delta: body.delta, cause: 'adjusted', reason: body.reason, now } as const
    const quantity = await changeStock(tx, movement)
    if (quantity === undefined) {
      throw new ApiError('insufficient_stock', `Pet ${pet.id} has ${before} left; ${-body.delta} cannot go out.`)
    }
    await recordMovement(tx, movement)
    return ok(showStock(await settleStatus(tx, pet, quantity), quantity))
  }),
]

async function lockEntry(tx: Transaction, petId: Id): Promise<{ pet: PetRow; quantity: number }> {
  const pet = await lockPet(tx, petId)
  const quantity = pet && (await quantityOf(tx, petId))
  if (!pet || quantity === undefined) throw notFound(petId)
  return { pet, quantity }
}

const notFound = (petId: Id) => new ApiError('inventory_not_found', `Pet ${petId} has no inventory entry.`)

const showItem = ({ id, quantity, status }: InventoryRow) => ({ petId: id, quantity, status })
const showStock = ({ id, status }: PetRow, quantity: number) => ({ petId: id, quantity, status })
