import type { StockAdjustment, StockMovement } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens, useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Form, type Sending } from '../parts/form.tsx'
import { Show } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { Timeline, type TimelineItem } from '../parts/timeline.tsx'
import { toast } from '../parts/toasts.tsx'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'

const causes: Record<string, string> = {
  registered: 'Created',
  set: 'Counted',
  adjusted: 'Adjusted',
  removed: 'Stock record removed',
  ordered: 'Ordered',
  order_changed: 'Order changed',
  cancelled: 'Order cancelled',
  archived: 'Archived orders',
}

const orderCauses = new Set(['ordered', 'order_changed', 'cancelled'])

/** The stock of a pet, how to change it, and its history. */
export function Stock({ petId, name, quantity }: { petId: number; name: string; quantity: number }) {
  const openForm = useSignal<'set' | 'adjust' | undefined>(undefined)
  const limit = useSignal(20)
  const history = useLoad(`${petId} ${limit.value}`, (signal) =>
    store().store.inventory.movements(petId, { limit: limit.value }, { signal }).firstPage(),
  )
  const close = () => {
    openForm.value = undefined
  }
  const finish = (count: number, { isLeft }: Sending) => {
    toast({ text: `${name}: ${number(count)} in stock.` })
    reloadScreens()
    if (!isLeft()) close()
  }
  return (
    <Card
      id="stock"
      title="Stock"
      aside={
        hasScope('inventory:write') &&
        openForm.value === undefined && (
          <span class="actions">
            <button type="button" class="quiet small" onClick={() => (openForm.value = 'adjust')}>
              Adjust
            </button>
            <button type="button" class="quiet small" onClick={() => (openForm.value = 'set')}>
              Set count
            </button>
          </span>
        )
      }
    >
      <p class="figure">
        {number(quantity)} <span class="soft">in stock</span>
      </p>
      {openForm.value === 'adjust' && (
        <Form<StockAdjustment>
          schema="StockAdjustment"
          submit="Adjust"
          send={async (adjustment, sending) => {
            const { idempotencyKey } = sending
            const { quantity: now } = await store().store.inventory.adjust(petId, adjustment, { idempotencyKey })
            finish(now, sending)
          }}
          onCancel={close}
        />
      )}
      {openForm.value === 'set' && (
        <Form<{ quantity: number }>
          schema="InventoryUpdate"
          initial={{ quantity }}
          submit="Set"
          send={async ({ quantity: count }, sending) => {
            await store().store.inventory.set(petId, { quantity: count })
            finish(count, sending)
          }}
          onCancel={close}
        />
      )}
      <Show of={history}>
        {({ items, next }) => (
          <>
            <Timeline label="Stock history" items={items.map(toTimelineItem)} />
            {next && limit.value < 100 && (
              <button type="button" class="quiet small" onClick={() => (limit.value = 100)}>
                Show more
              </button>
            )}
          </>
        )}
      </Show>
    </Card>
  )
}

/** Everyone sees that an order took stock, but not whose order it was. */
const unseenOrder = (cause: string): string | undefined =>
  orderCauses.has(cause) && !hasScope('orders:all') ? 'By an order that your key cannot see' : undefined

const toTimelineItem = ({ id, time, delta, cause, orderId, reason }: StockMovement): TimelineItem => ({
  id,
  at: time,
  title: `${causes[cause] ?? cause} ${delta < 0 ? '−' : '+'}${number(Math.abs(delta))}`,
  detail: orderId ? <a href={hrefOf(`/orders/${orderId}`)}>Order {orderId}</a> : (reason ?? unseenOrder(cause)),
  tone: delta < 0 ? 'out' : 'in',
})
