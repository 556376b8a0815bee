import { ApiError } from '../api/errors.ts'
import { keyset, page } from '../api/list-page.ts'
import { type Caller, created, noContent, ok, type Route, read, write } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { OrderRow, PetRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { lockPet } from '../pets/store.ts'
import { addStock, changeStock, quantityOf, recordMovement, settleStatus } from '../stock/move.ts'
import * as operations from './operations.ts'
import * as store from './store.ts'

export const orderRoutes: Route[] = [
  read(operations.listOrders, async (db, { query, caller }) => {
    const { sort = 'id' } = query
    const asked = keyset(query, store.orderSorts, sort)
    return page(await store.findOrders(db, ownerFor(caller), query, asked), asked, sort, showOrder)
  }),

  write(operations.placeOrder, async (tx, { body, caller, now }) => {
    const { quantity = 1, shipDate = null, complete = false } = body
    const pet = await lockPet(tx, body.petId)
    if (!pet) throw new ApiError('unknown_pet', `There is no pet ${body.petId}.`)
    if (pet.status !== 'available') {
      throw new ApiError('pet_not_available', `Pet ${pet.id} is ${pet.status} and cannot be ordered.`)
    }
    const left = await take(tx, pet, quantity)
    const fields = { quantity, shipDate, complete: complete ? 1 : 0 } as const
    const order = await store.insertOrder(tx, { keyId: caller.keyId, petId: pet.id, ...fields, now })
    await recordMovement(tx, { petId: pet.id, delta: -quantity, cause: 'ordered', orderId: order.id, now })
    await settleStatus(tx, pet, left)
    return created(showOrder(order), `/store/orders/${order.id}`)
  }),

  read(operations.getOrder, async (db, { params, caller }) => {
    const order = await store.findOrder(db, ownerFor(caller), params.orderId)
    if (!order) throw notFound(params.orderId)
    return ok(showOrder(order))
  }),

  write(operations.updateOrder, async (tx, { params, body, caller, mustMatch, now }) => {
    const { order, pet } = await lockOpenOrder(tx, caller, params.orderId, mustMatch)
    const quantity = body.quantity ?? order.quantity
    const more = quantity - order.quantity
    const movement = { petId: pet.id, delta: -more, cause: 'order changed', orderId: order.id, now } as const
    if (more > 0) {
      await take(tx, pet, more)
      await recordMovement(tx, movement)
    } else if (more < 0) await addStock(tx, movement)
    const shipDate = body.shipDate === undefined ? order.ship_date : body.shipDate
    const changed = await store.updateOrder(tx, order.id, { quantity, shipDate, complete: body.complete ? 1 : 0 })
    await settleStatus(tx, pet)
    return ok(showOrder(changed))
  }),

  write(operations.cancelOrder, async (tx, { params, caller, mustMatch, now }) => {
    const { order, pet } = await lockOpenOrder(tx, caller, params.orderId, mustMatch)
    await store.deleteOrder(tx, order.id)
    await addStock(tx, { petId: pet.id, delta: order.quantity, cause: 'cancelled', orderId: order.id, now })
    await settleStatus(tx, pet)
    return noContent()
  }),
]

const ownerFor = ({ keyId, scopes }: Caller): store.Owner => (scopes.has('orders:all') ? undefined : keyId)

/** The order and its pet, both locked: order first, then pet, so that two changes never wait for each other. */
async function lockOpenOrder(tx: Transaction, caller: Caller, id: Id, mustMatch: (current: unknown) => void) {
  const order = await store.lockOrder(tx, ownerFor(caller), id)
  if (!order) throw notFound(id)
  mustMatch(showOrder(order))
  const pet = order.complete ? undefined : await lockPet(tx, order.pet_id)
  // A pet with an open order cannot be deleted, so no pet means that the order is complete.
  if (!pet) throw new ApiError('order_complete', `Order ${order.id} is complete.`)
  return { order, pet }
}

/** What is left after taking `quantity`. */
async function take(tx: Transaction, pet: PetRow, quantity: number): Promise<number> {
  const left = await changeStock(tx, { petId: pet.id, delta: -quantity })
  if (left !== undefined) return left
  const found = (await quantityOf(tx, pet.id)) ?? 0
  throw new ApiError('insufficient_stock', `Pet ${pet.id} has ${found} left; ${quantity} were ordered.`)
}

const notFound = (id: Id) => new ApiError('order_not_found', `There is no order ${id}.`)

const showOrder = ({ id, pet_id, quantity, ship_date, complete }: OrderRow) => ({
  id,
  petId: pet_id,
  quantity,
  ...(ship_date !== null && { shipDate: new Date(ship_date).toISOString() }),
  complete: complete === 1,
})
