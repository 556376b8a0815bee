import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLoad } from '../load.ts'
import { Card, EditButton } from '../parts/card.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { PetGlyph } from '../parts/pet-glyph.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { number } from '../parts/time.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { PetEdit, withPendingChanges } from './pet-edit.tsx'
import { Hold } from './pet-hold.tsx'
import { PetOrders } from './pet-orders.tsx'
import { Stock } from './pet-stock.tsx'
import { deletePet } from './pets-columns.tsx'

/** One pet: its fields, stock, stock history and orders. */
export function PetScreen({ id }: { id: number }) {
  const pet = useLoad(String(id), (signal) => store().pets.profile(id, { signal }))
  /** A new object for each edit. */
  const editing = useSignal<object | undefined>(undefined)
  return (
    <Show of={pet}>
      {(loaded) => {
        const displayed = withPendingChanges(loaded)
        const opened = editing.value
        const closeEdit = () => {
          if (editing.peek() === opened) editing.value = undefined
        }
        return (
          <>
            <Heading
              title={displayed.name}
              picture={<PetGlyph id={id} name={displayed.name} category={loaded.category.name} large />}
              up={{ href: hrefOf('/pets'), text: 'Pets' }}
            >
              {hasScope('orders:write') && (
                <a class="button quiet" href={hrefOf('/orders', { do: 'new', petId: String(id) })}>
                  Place an order
                </a>
              )}
              {hasScope('pets:write') && (
                <Undoable id={`pet ${id}`}>
                  <button type="button" class="quiet danger" onClick={() => deletePet(loaded)}>
                    <Icon name="trash" /> Delete
                  </button>
                </Undoable>
              )}
            </Heading>
            <div class="detail">
              <div class="stack">
                <Card
                  id="about"
                  title="About"
                  aside={hasScope('pets:write') && !opened && <EditButton onClick={() => (editing.value = {})} />}
                >
                  {opened ? (
                    // The version when the edit started: changes by others must not slip in unseen.
                    <Frozen value={loaded}>{(before) => <PetEdit pet={before} onClose={closeEdit} />}</Frozen>
                  ) : (
                    <Facts>
                      <Fact name="ID">{id}</Fact>
                      <Fact name="Category">
                        <a href={hrefOf('/pets', { categoryId: String(loaded.categoryId) })}>{loaded.category.name}</a>{' '}
                        <span class="soft">
                          #{loaded.categoryId} {loaded.category.description}
                        </span>
                      </Fact>
                      <Fact name="Status">
                        <Status value={displayed.status} />
                        {loaded.held && <Hold pet={loaded} />}
                      </Fact>
                    </Facts>
                  )}
                </Card>
                {hasScope('orders:read') ? (
                  <PetOrders petId={id} />
                ) : (
                  <Card id="its-orders" title="Orders">
                    <Unseen scope="orders:read">orders</Unseen>
                  </Card>
                )}
              </div>
              {hasScope('inventory:read') ? (
                <Stock petId={id} name={loaded.name} quantity={loaded.stock} />
              ) : (
                <Card id="stock" title="Stock">
                  <p class="figure">
                    {number(loaded.stock)} <span class="soft">in stock</span>
                  </p>
                  <Unseen scope="inventory:read">how the stock changed</Unseen>
                </Card>
              )}
            </div>
          </>
        )
      }}
    </Show>
  )
}

/** Keeps the first value while it is displayed. */
function Frozen<T>({ value, children }: { value: T; children: (value: T) => ComponentChildren }) {
  const first = useSignal(value)
  return <>{children(first.peek())}</>
}
