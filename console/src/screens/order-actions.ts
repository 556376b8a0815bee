import type { Order } from '@petstore/sdk'
import { reloadScreens } from '../load.ts'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { store } from '../session.ts'
import { deleteWithUndo } from '../undo.ts'

const idOf = ({ id = 0 }: Order): number => id

export async function completeOrder(order: Order): Promise<void> {
  try {
    await store().store.orders.update(idOf(order), { complete: true })
    toast({ text: `Order ${order.id} is complete.` })
  } catch (error) {
    toastFailure(error)
  }
  reloadScreens()
}

export function cancelOrder(order: Order): void {
  deleteWithUndo({
    id: `order ${order.id}`,
    text: `Order ${order.id} is cancelled.`,
    send: () => store().store.orders.cancel(idOf(order)),
    done: reloadScreens,
  })
}
