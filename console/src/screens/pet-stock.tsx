import type { StockAdjustment, StockMovement } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { changed, useLoad } from '../load.ts'
import { Form } from '../parts/form.tsx'
import { Show } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { type Happening, Timeline } from '../parts/timeline.tsx'
import { toast } from '../parts/toasts.tsx'
import { hrefOf } from '../router.ts'
import { may, store } from '../session.ts'

const causes: Record<string, string> = {
  registered: 'Registered',
  set: 'Counted',
  adjusted: 'Adjusted',
  removed: 'Entry removed',
  ordered: 'Ordered',
  order_changed: 'Order changed',
  cancelled: 'Order cancelled',
}

/** How many are there, changing it, and the ledger of every change. */
export function Stock({ petId, quantity }: { petId: number; quantity: number }) {
  const act = useSignal<'set' | 'adjust' | undefined>(undefined)
  const limit = useSignal(20)
  const ledger = useLoad(`${petId} ${limit.value}`, (signal) =>
    store().store.inventory.movements(petId, { limit: limit.value }, { signal }).firstPage(),
  )
  const close = () => {
    act.value = undefined
  }
  const saved = (text: string) => {
    toast({ text })
    changed()
    close()
  }
  return (
    <section class="card" aria-labelledby="stock">
      <header>
        <h2 id="stock">Stock</h2>
        {may('inventory:write') && act.value === undefined && (
          <span class="actions">
            <button type="button" class="quiet small" onClick={() => (act.value = 'adjust')}>
              Adjust
            </button>
            <button type="button" class="quiet small" onClick={() => (act.value = 'set')}>
              Set count
            </button>
          </span>
        )}
      </header>
      <p class="figure">
        {number(quantity)} <span class="soft">in stock</span>
      </p>
      {act.value === 'adjust' && (
        <Form<StockAdjustment>
          schema="StockAdjustment"
          submit="Adjust"
          send={async (adjustment) => {
            const { quantity: now } = await store().store.inventory.adjust(petId, adjustment)
            saved(`${number(now)} in stock now.`)
          }}
          onCancel={close}
        />
      )}
      {act.value === 'set' && (
        <Form<{ quantity: number }>
          schema="InventoryUpdate"
          initial={{ quantity }}
          submit="Set"
          send={async ({ quantity: count }) => {
            await store().store.inventory.set(petId, count)
            saved(`The count is ${number(count)} now.`)
          }}
          onCancel={close}
        />
      )}
      <Show of={ledger}>
        {({ items, next }) => (
          <>
            <Timeline label="Ledger" items={items.map(happening)} />
            {next && limit.value < 100 && (
              <button type="button" class="quiet small" onClick={() => (limit.value = 100)}>
                Show more
              </button>
            )}
          </>
        )}
      </Show>
    </section>
  )
}

const happening = ({ id, at, delta, cause, orderId, reason }: StockMovement): Happening => ({
  id,
  at,
  title: `${causes[cause] ?? cause} ${delta < 0 ? '−' : '+'}${number(Math.abs(delta))}`,
  detail: orderId ? <a href={hrefOf(`/orders/${orderId}`)}>Order {orderId}</a> : reason,
  tone: delta < 0 ? 'out' : 'in',
})
