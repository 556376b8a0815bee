import type { PlacedOrder } from '@petstore/sdk'
import { reloadScreens } from '../load.ts'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { store } from '../session.ts'
import { deleteWithUndo } from '../undo.ts'

export async function completeOrder(order: PlacedOrder): Promise<void> {
  try {
    await store().store.orders.update(order.id, { complete: true })
    toast({ text: `Order ${order.id} is complete.` })
  } catch (error) {
    toastFailure(error)
  }
  reloadScreens()
}

export function cancelOrder(order: PlacedOrder): void {
  deleteWithUndo({
    id: `order ${order.id}`,
    text: `Order ${order.id} is cancelled.`,
    send: () => store().store.orders.cancel(order.id),
    done: reloadScreens,
  })
}
