import { recentEvents, streamFault } from '../events.ts'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { EventList } from '../parts/event-list.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Loading, Show } from '../parts/states.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { Attention } from './dashboard-attention.tsx'
import { OrdersChart, RequestsChart } from './dashboard-charts.tsx'
import { Figures, petFigures, shopFigures, shownHours } from './dashboard-figures.tsx'
import { FirstSteps } from './first-steps.tsx'

/** The state of the shop and its API, in as few requests as possible. */
export const Dashboard = () => (
  <>
    <Heading title="Overview" />
    {hasScope('orders:all') ? <Shop /> : <Catalogue />}
    <RequestsChart />
    <LatestEvents />
  </>
)

/** What a key sees that cannot read the summary of the shop. */
function Catalogue() {
  return (
    <>
      {hasScope('pets:read') && <PetFigures />}
      <Unseen scope="orders:all">the figures of the shop</Unseen>
    </>
  )
}

function PetFigures() {
  const counts = useLoad('', (signal) => store().pets.counts({}, { signal }))
  return <Show of={counts}>{({ byStatus }) => <Figures figures={petFigures(byStatus)} />}</Show>
}

function Shop() {
  const summary = useLoad('', (signal) => store().store.summary({ hours: 2 * shownHours }, { signal }))
  return (
    <Show of={summary}>
      {(loaded) => (
        <>
          <FirstSteps pets={sum(Object.values(loaded.petsByStatus))} />
          <Figures figures={shopFigures(loaded)} />
          <Attention summary={loaded} />
          <OrdersChart summary={loaded} />
        </>
      )}
    </Show>
  )
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

const eventsMax = 10

const LatestEvents = () => (
  <Card id="latest" title="Latest events" aside={<a href={hrefOf('/events')}>All events</a>}>
    {streamFault.value !== undefined && <Failure error={streamFault.value} />}
    {recentEvents.value?.length === 0 && <p class="soft">Nothing has happened that your key can see.</p>}
    {recentEvents.value ? (
      <EventList label="Latest events" events={recentEvents.value.slice(0, eventsMax)} />
    ) : (
      streamFault.value === undefined && <Loading />
    )}
  </Card>
)
