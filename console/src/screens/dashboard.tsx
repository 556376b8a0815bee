import { Heading } from '../parts/heading.tsx'
import { may } from '../session.ts'
import { LatestEvents } from './dashboard-events.tsx'
import { LowStock } from './dashboard-low-stock.tsx'
import { OrdersOverTime } from './dashboard-orders.tsx'
import { PetNumbers } from './dashboard-pets.tsx'
import { Requests } from './dashboard-requests.tsx'

/** How the shop and its interface are doing right now. */
export const Dashboard = () => (
  <>
    <Heading title="Overview" />
    <div class="columns">
      <Requests />
      {may('orders:read') && <OrdersOverTime />}
      {may('pets:read') && <PetNumbers />}
      <div class="stack">
        <LatestEvents />
        {may('inventory:read') && <LowStock />}
      </div>
    </div>
  </>
)
