import { useLoad } from '../load.ts'
import { addPetNames } from '../names.ts'
import { Card } from '../parts/card.tsx'
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
      return addPetNames(await store().store.inventory.list(query, { signal }).firstPage(), signal)
    },
    useRefresh(),
  )
  return (
    <Card id="low" title="Low stock" aside={<a href={hrefOf('/inventory', { maxQuantity: '3' })}>Inventory</a>}>
      <Show of={low}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft">No available pet has {lowMax} or fewer left.</p>
          ) : (
            <ul class="plain rows">
              {items.map(({ petId, petName, quantity }) => (
                <li key={petId}>
                  <a href={hrefOf(`/pets/${petId}`)}>{petName ?? `#${petId}`}</a>
                  <span class="numeric">{number(quantity)} left</span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </Card>
  )
}
