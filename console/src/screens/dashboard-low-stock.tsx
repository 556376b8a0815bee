import { useLoad } from '../load.ts'
import { loadPetNames } from '../names.ts'
import { Show } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { hrefOf } from '../router.ts'
import { store } from '../session.ts'

const lowMax = 2
const itemsMax = 10

/** Available pets with little stock. */
export function LowStock() {
  const low = useLoad(
    '',
    async (signal) => {
      const query = { maxQuantity: lowMax, status: 'available' as const, limit: itemsMax }
      const { items } = await store().store.inventory.list(query, { signal }).firstPage()
      return {
        items,
        names: await loadPetNames(
          items.map(({ petId }) => petId),
          signal,
        ),
      }
    },
    useRefresh(),
  )
  return (
    <section class="card" aria-labelledby="low">
      <header>
        <h2 id="low">Low stock</h2>
        <a href={hrefOf('/inventory', { maxQuantity: '3' })}>Inventory</a>
      </header>
      <Show of={low}>
        {({ items, names }) =>
          items.length === 0 ? (
            <p class="soft">No available pet has {lowMax} or fewer left.</p>
          ) : (
            <ul class="plain rows">
              {items.map(({ petId, quantity }) => (
                <li key={petId}>
                  <a href={hrefOf(`/pets/${petId}`)}>{names.get(petId) ?? `#${petId}`}</a>
                  <span class="numeric">{number(quantity)} left</span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  )
}
