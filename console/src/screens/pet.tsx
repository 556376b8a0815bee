import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLoad } from '../load.ts'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { go, hrefOf } from '../router.ts'
import { may, store } from '../session.ts'
import { shownAs } from './pet-edit.ts'
import { PetOrders } from './pet-orders.tsx'
import { PetRowEdit } from './pet-row-edit.tsx'
import { Stock } from './pet-stock.tsx'
import { deletePet } from './pets-columns.tsx'

/** One pet: what it is, its stock with the ledger, its orders. */
export function PetScreen({ id }: { id: number }) {
  const pet = useLoad(String(id), (signal) => store().pets.profile(id, { signal }))
  const editing = useSignal(false)
  return (
    <Show of={pet}>
      {(loaded) => {
        const shown = shownAs(loaded)
        return (
          <>
            <Heading title={shown.name} up={{ href: hrefOf('/pets'), text: 'Pets' }}>
              {may('orders:write') && (
                <a class="button quiet" href={hrefOf('/orders', { do: 'new', petId: String(id) })}>
                  Order it
                </a>
              )}
              {may('pets:write') && (
                <button
                  type="button"
                  class="quiet danger"
                  onClick={() => {
                    deletePet(loaded)
                    go(hrefOf('/pets'))
                  }}
                >
                  <Icon name="trash" /> Delete
                </button>
              )}
            </Heading>
            <div class="columns">
              <div class="stack">
                <section class="card" aria-labelledby="about">
                  <header>
                    <h2 id="about">About</h2>
                    {may('pets:write') && !editing.value && (
                      <button type="button" class="quiet small" onClick={() => (editing.value = true)}>
                        <Icon name="edit" /> Edit
                      </button>
                    )}
                  </header>
                  {editing.value ? (
                    // As it was when the edit began: what others change meanwhile must not slip in unseen.
                    <Frozen value={loaded}>
                      {(before) => <PetRowEdit pet={before} onClose={() => (editing.value = false)} />}
                    </Frozen>
                  ) : (
                    <dl class="facts">
                      <div>
                        <dt>Number</dt>
                        <dd>{id}</dd>
                      </div>
                      <div>
                        <dt>Category</dt>
                        <dd>
                          <a href={hrefOf('/pets', { categoryId: String(loaded.categoryId) })}>
                            {loaded.category.name}
                          </a>
                        </dd>
                      </div>
                      <div>
                        <dt>Status</dt>
                        <dd>
                          <Status value={shown.status} />
                        </dd>
                      </div>
                    </dl>
                  )}
                </section>
                {may('orders:read') && <PetOrders petId={id} />}
              </div>
              {may('inventory:read') && <Stock petId={id} quantity={loaded.stock} />}
            </div>
          </>
        )
      }}
    </Show>
  )
}

/** Hands on the first value it was given, for as long as it is shown. */
function Frozen<T>({ value, children }: { value: T; children: (value: T) => ComponentChildren }) {
  const first = useSignal(value)
  return <>{children(first.peek())}</>
}
