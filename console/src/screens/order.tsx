import type { Order, OrderChange, OrderPatch } from '@petstore/sdk'
import { PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { labelOf } from '../description.ts'
import { loadKeyNames } from '../key-names.ts'
import { useLoad } from '../load.ts'
import { Card, EditButton } from '../parts/card.tsx'
import { ChangesForm } from '../parts/changes-form.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Heading } from '../parts/heading.tsx'
import { KeyLink } from '../parts/key-link.tsx'
import { PetLink } from '../parts/pet-link.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { number, Time } from '../parts/time.tsx'
import { Timeline, type TimelineItem } from '../parts/timeline.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { loadPetLabels } from '../pet-labels.ts'
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
    const last = found ?? lastState(items)
    const keyIds = [found?.keyId, ...items.map(({ keyId }) => keyId)]
    const [labels, keyNames] = await Promise.all([
      loadPetLabels(last.petId ? [last.petId] : [], signal),
      loadKeyNames(keyIds, signal),
    ])
    return { order: found, last, history: items, pet: labels.get(last.petId ?? 0), keyNames }
  })
  return (
    <>
      {order.value.error !== undefined && <Unseen scope="orders:all">orders placed with other keys</Unseen>}
      <Show of={order}>
        {({ order: found, last, history, pet, keyNames }) => (
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
            <div class="detail">
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
                  <ChangesForm<OrderPatch>
                    schema="OrderPatch"
                    initial={{ ...found }}
                    only={['quantity', 'shipDate']}
                    save={(changes) => store().store.orders.update(id, changes, { ifMatch: found })}
                    onClose={() => (isEditing.value = false)}
                  />
                )}
                {!(found && isEditing.value) && (
                  <Facts>
                    <Fact name="Pet">{last.petId && <PetLink petId={last.petId} {...pet} />}</Fact>
                    <Fact name="Quantity">{number(last.quantity ?? 0)}</Fact>
                    <Fact name="Placed">{last.placedAt && <Time at={last.placedAt} />}</Fact>
                    {last.keyId !== undefined && (
                      <Fact name="Placed by">
                        <KeyLink id={last.keyId} names={keyNames} />
                      </Fact>
                    )}
                    <Fact name="Ships">{last.shipDate ? <Time at={last.shipDate} /> : '–'}</Fact>
                    <Fact name="State">
                      <Status value={found ? (found.complete ? 'completed' : 'open') : 'cancelled'} />
                    </Fact>
                  </Facts>
                )}
              </Card>
              <Card id="history" title="History">
                <Timeline label="History" items={history.map((event) => toTimelineItem(event, keyNames))} />
              </Card>
            </div>
          </>
        )}
      </Show>
    </>
  )
}

/** A cancelled order as it last was, from its history. */
function lastState(history: readonly OrderChange[]): Partial<Order> {
  const placed = history.find(({ kind }) => kind === 'placed')
  const cancelled = history.find(({ kind }) => kind === 'cancelled')
  const fields = Object.entries(cancelled?.changes ?? placed?.changes ?? {})
  return {
    ...Object.fromEntries(fields.map(([field, { from, to }]) => [field, from ?? to])),
    ...(placed && { placedAt: placed.time, ...(placed.keyId && { keyId: placed.keyId }) }),
  }
}

const toTimelineItem = (
  { id, kind, time, changes, keyId }: OrderChange,
  keyNames: ReadonlyMap<number, string>,
): TimelineItem => ({
  id,
  at: time,
  title: kind.charAt(0).toUpperCase() + kind.slice(1),
  detail: (
    <>
      {describe(changes)}
      {keyId !== undefined && (
        <div>
          by <KeyLink id={keyId} names={keyNames} />
        </div>
      )}
    </>
  ),
})

/** What changed apart from the pet and the state, which the screen and the title show. */
const describe = ({ quantity, shipDate }: OrderChange['changes']): string =>
  [quantity && `${labelOf('quantity')} ${between(quantity)}`, shipDate && `${labelOf('shipDate')} ${between(shipDate)}`]
    .filter((part) => part !== undefined)
    .join(', ')

const between = ({ from, to }: { from?: unknown; to?: unknown }): string =>
  [from, to]
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === 'string' ? new Date(value).toLocaleString() : String(value)))
    .join(' → ')
