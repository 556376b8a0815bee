import { ApiError } from '../../platform/api/errors.ts'
import type { Call, Caller } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/lib/int64.ts'
import type { LockedPet } from '../pets/lock.ts'
import { orderErrors } from './operations.ts'
import { showOrder } from './show.ts'
import { lockOrder, lockPetOfOrder, type OrderRow, type Owner } from './store.ts'

export const ownerFor = ({ keyId, scopes }: Caller): Owner => (scopes.has('orders:all') ? 'everyone' : keyId)

/** Also used for another key's order, so that its existence is not revealed. */
export const orderNotFound = (id: Id) => new ApiError(orderErrors.order_not_found, `There is no order ${id}.`)

/**
 * Locks an open order and its pet, and checks the request's If-Match. Always the pet first, so that two changes never deadlock, and their
 * events are in the order in which they change the stock.
 */
export async function lockOpenOrder(
  tx: Transaction,
  { caller, mustMatch }: Call,
  id: Id,
): Promise<{ order: OrderRow; pet: LockedPet }> {
  const owner = ownerFor(caller)
  const [pet, order] = await Promise.all([lockPetOfOrder(tx, owner, id), lockOrder(tx, owner, id)])
  if (!order) throw orderNotFound(id)
  mustMatch(showOrder(order))
  // A pet with open orders cannot be deleted, so if there is no pet the order is complete.
  if (!pet) throw new ApiError(orderErrors.order_complete, `Order ${order.id} is completed.`)
  return { order, pet }
}
