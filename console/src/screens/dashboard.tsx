import type { StoreSummary } from '@petstore/sdk'
import { recentEvents, streamFault } from '../events.ts'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { EventList } from '../parts/event-list.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Loading, Show } from '../parts/states.tsx'
import { formatTimeOfDay } from '../parts/time.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { useRefresh } from '../refresh.ts'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usageSeries } from '../usage-series.ts'
import { Attention } from './dashboard-attention.tsx'
import { Figures, petFigures, shopFigures, shownHours } from './dashboard-figures.tsx'

/** The state of the shop and its API, in as few requests as possible. */
export const Dashboard = () => (
  <>
    <Heading title="Overview" />
    {hasScope('orders:all') ? <Shop /> : <Catalogue />}
    <Requests />
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
          <Figures figures={shopFigures(loaded)} />
          <Attention summary={loaded} />
          <Orders summary={loaded} />
        </>
      )}
    </Show>
  )
}

function Orders({ summary }: { summary: StoreSummary }) {
  const hours = summary.hours.slice(-shownHours)
  return (
    <Card id="orders" title="Orders" aside={<a href={hrefOf('/orders')}>Show orders</a>}>
      <Chart
        label="Orders, last 24 hours"
        times={hours.map(({ from }) => Date.parse(from))}
        series={[
          { name: 'placed', color: 'blue', values: hours.map(({ placed }) => placed) },
          {
            name: 'cancelled',
            color: 'red',
            values: hours.map(({ cancelled }) => cancelled),
            heights: hours.map(({ placed, completed, cancelled }) => placed + completed + cancelled),
          },
          {
            name: 'completed',
            color: 'accent',
            values: hours.map(({ completed }) => completed),
            heights: hours.map(({ placed, completed }) => placed + completed),
          },
        ]}
        formatTime={formatTimeOfDay}
      />
    </Card>
  )
}

function Requests() {
  const isManager = hasScope('keys:manage')
  const usage = useLoad(
    '',
    (signal) => store().usage.get(isManager ? { allKeys: true } : {}, { signal }),
    useRefresh(10_000),
  )
  return (
    <Card id="requests" title={isManager ? 'Requests' : 'Requests of your key'}>
      <Show of={usage}>
        {(entries) => (
          <Chart
            label="Requests, last 24 hours"
            times={entries.map(({ from }) => Date.parse(from))}
            series={usageSeries(entries)}
            formatTime={formatTimeOfDay}
          />
        )}
      </Show>
    </Card>
  )
}

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
