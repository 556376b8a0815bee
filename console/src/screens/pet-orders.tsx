import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'

const ordersMax = 10

export function PetOrders({ petId }: { petId: number }) {
  const orders = useLoad(String(petId), (signal) =>
    store().store.orders.list({ petId, sort: '-id', limit: ordersMax }, { signal }).firstPage(),
  )
  return (
    <Card id="its-orders" title="Orders" aside={<a href={hrefOf('/orders', { petId: String(petId) })}>All</a>}>
      <Show of={orders}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft">{hasScope('orders:all') ? 'No orders yet.' : 'No orders placed with your key.'}</p>
          ) : (
            <ul class="plain">
              {items.map(({ id, quantity, complete }) => (
                <li key={id}>
                  <a href={hrefOf(`/orders/${id}`)}>Order {id}</a> <span class="soft">{quantity} ordered</span>{' '}
                  <Status value={complete ? 'completed' : 'open'} />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <Unseen scope="orders:all">orders placed with other keys</Unseen>
    </Card>
  )
}
