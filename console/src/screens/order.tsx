import type { OrderEvent, OrderPatch } from '@petstore/sdk'
import { PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { labelOf } from '../description.ts'
import { reloadScreens, useLoad } from '../load.ts'
import { loadPetNames } from '../names.ts'
import { Card, EditButton } from '../parts/card.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Form } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { number, Time } from '../parts/time.tsx'
import { Timeline, type TimelineItem } from '../parts/timeline.tsx'
import { toast } from '../parts/toasts.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { cancelOrder, completeOrder } from './order-actions.ts'

/** One order and its history, even after it was cancelled. */
export function OrderScreen({ id }: { id: number }) {
  const isEditing = useSignal(false)
  const order = useLoad(String(id), async (signal) => {
    const found = await store()
      .store.orders.get(id, { signal })
      .catch((error) => {
        if (error instanceof PetStoreError && error.code === 'order_not_found') return undefined
        throw error
      })
    const { items } = await store().store.orders.history(id, { limit: 100 }, { signal }).firstPage()
    const petId = found?.petId ?? 0
    return { order: found, history: items, petName: (await loadPetNames(petId ? [petId] : [], signal)).get(petId) }
  })
  return (
    <>
      {order.value.error !== undefined && <Unseen scope="orders:all">orders placed with other keys</Unseen>}
      <Show of={order}>
        {({ order: found, history, petName }) => (
          <>
            <Heading title={`Order ${id}`} up={{ href: hrefOf('/orders'), text: 'Orders' }}>
              {found && !found.complete && hasScope('orders:write') && (
                <Undoable id={`order ${id}`}>
                  <button type="button" onClick={() => completeOrder(found)}>
                    Complete
                  </button>
                  <button type="button" class="quiet danger apart" onClick={() => cancelOrder(found)}>
                    Cancel order
                  </button>
                </Undoable>
              )}
            </Heading>
            <div class="columns">
              <Card
                id="about"
                title="About"
                aside={
                  found &&
                  !found.complete &&
                  hasScope('orders:write') &&
                  !isEditing.value && <EditButton onClick={() => (isEditing.value = true)} />
                }
              >
                {!found && <p>This order was cancelled and its stock returned.</p>}
                {found && isEditing.value && (
                  <Form<OrderPatch>
                    schema="OrderPatch"
                    initial={{ ...found }}
                    only={['quantity', 'shipDate']}
                    changesOnly
                    submit="Save"
                    send={async (changes) => {
                      await store().store.orders.update(id, changes, { ifMatch: found })
                      toast({ text: 'Saved.' })
                      isEditing.value = false
                      reloadScreens()
                    }}
                    onCancel={() => (isEditing.value = false)}
                  />
                )}
                {found && !isEditing.value && (
                  <Facts>
                    <Fact name="Pet">
                      <a href={hrefOf(`/pets/${found.petId}`)}>{petName ?? `#${found.petId}`}</a>
                    </Fact>
                    <Fact name="Quantity">{number(found.quantity)}</Fact>
                    <Fact name="Ships">{found.shipDate ? <Time at={found.shipDate} /> : '–'}</Fact>
                    <Fact name="State">
                      <Status value={found.complete ? 'complete' : 'open'} />
                    </Fact>
                  </Facts>
                )}
              </Card>
              <Card id="history" title="History">
                <Timeline label="History" items={history.map(toTimelineItem)} />
              </Card>
            </div>
          </>
        )}
      </Show>
    </>
  )
}

const toTimelineItem = ({ id, kind, time, changes }: OrderEvent): TimelineItem => ({
  id,
  at: time,
  title: kind.charAt(0).toUpperCase() + kind.slice(1),
  detail: Object.entries(changes)
    .map(
      ([field, { from, to }]) => `${labelOf(field)} ${[from, to].filter((value) => value !== undefined).join(' → ')}`,
    )
    .join(', '),
})
