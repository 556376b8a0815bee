import { type Order, PetStoreError } from '@petstore/sdk'
import { startPending } from '../pending.ts'
import { hasScope, store } from '../session.ts'

/** Someone else may have completed or cancelled the order since it was loaded. */
async function findRejection(id: number): Promise<Error | undefined> {
  if (!hasScope('orders:read')) return undefined
  try {
    const { complete } = await store().store.orders.get(id)
    if (!complete) return undefined
    return new PetStoreError({ code: 'order_complete', status: 409, message: `Order ${id} is completed.` })
  } catch (error) {
    if (error instanceof PetStoreError && error.code === 'order_not_found') return error
    throw error
  }
}

export function completeOrder({ id }: Order): void {
  startPending({
    id: `order ${id}`,
    verb: 'completed',
    doneText: `Order ${id} was completed.`,
    findRejection: () => findRejection(id),
    send: () => store().store.orders.update(id, { complete: true }),
  })
}

export function cancelOrder({ id }: Order): void {
  startPending({
    id: `order ${id}`,
    verb: 'cancelled',
    doneText: `Order ${id} was cancelled.`,
    findRejection: () => findRejection(id),
    send: () => store().store.orders.cancel(id),
  })
}
