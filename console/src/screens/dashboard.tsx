import { Heading } from '../parts/heading.tsx'
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
