import { Heading } from '../parts/heading.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { hasScope } from '../session.ts'
import { LatestEvents } from './dashboard-events.tsx'
import { LowStock } from './dashboard-low-stock.tsx'
import { OrdersOverTime } from './dashboard-orders.tsx'
import { PetNumbers } from './dashboard-pets.tsx'
import { Requests } from './dashboard-requests.tsx'

/** The current state of the shop and its API. */
export const Dashboard = () => (
  <>
    <Heading title="Overview" />
    <Unseen scope="pets:read">pets</Unseen>
    {hasScope('orders:read') ? (
      <Unseen scope="orders:all">orders placed with other keys</Unseen>
    ) : (
      <Unseen scope="orders:read">orders</Unseen>
    )}
    <Unseen scope="inventory:read">stock</Unseen>
    <div class="columns">
      <Requests />
      {hasScope('orders:read') && <OrdersOverTime />}
      {hasScope('pets:read') && <PetNumbers />}
      <div class="stack">
        <LatestEvents />
        {hasScope('inventory:read') && <LowStock />}
      </div>
    </div>
  </>
)
