import { useRef } from 'preact/hooks'
import { gapCount, loadPastEvents, streamFault } from '../events.ts'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { EventList } from '../parts/event-list.tsx'
import { Filter } from '../parts/filter.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Show } from '../parts/states.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { useReloadOn, useTick } from '../refresh.ts'
import { hrefOf, param } from '../router.ts'
import { hasScope, session, store } from '../session.ts'
import { useSeen } from '../use-seen.ts'
import { Attention } from './dashboard-attention.tsx'
import { OrdersChart, RequestsChart } from './dashboard-charts.tsx'
import { Figures, NothingBefore, petFigures, shopFigures } from './dashboard-figures.tsx'
import { rangeChoices, shownRange } from './dashboard-range.ts'
import { FirstSteps } from './first-steps.tsx'

/** The state of the shop and its API, in as few requests as possible. */
export const Dashboard = () => (
  <>
    <Heading title="Overview">
      <Filter label="Time" name="days" otherwise="Last 24 hours" choices={rangeChoices} />
    </Heading>
    {hasScope('orders:all') ? <Shop /> : <Catalogue />}
    <FollowClock />
    <RequestsChart />
    <LatestEvents />
  </>
)

/** What a key that cannot read the summary of the shop sees. */
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
  const summary = useLoad(param('days'), (signal) => store().store.summary(shownRange().query, { signal }))
  return (
    <Show of={summary}>
      {(loaded) => (
        <>
          <FirstSteps pets={sum(Object.values(loaded.petsByStatus))} />
          <Figures figures={shopFigures(loaded)} />
          <NothingBefore summary={loaded} />
          <Attention summary={loaded} />
          <OrdersChart summary={loaded} />
        </>
      )}
    </Show>
  )
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The figures of an hour or a day change with the clock, even if nothing happens. */
function FollowClock() {
  useTick(minuteMs)
  useReloadOn(`${Math.floor(Date.now() / hourMs)} ${new Date().toDateString()}`)
  return null
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

const eventsMax = 10

/** Loaded once they are on the screen: they are at the bottom of it, and take two requests. */
function LatestEvents() {
  const frame = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(frame)
  return (
    <Card id="latest" title="Latest events" aside={<a href={hrefOf('/events')}>All events</a>}>
      <div ref={frame} class="latest-events">
        {isSeen && <SeenEvents />}
      </div>
    </Card>
  )
}

function SeenEvents() {
  // Another key sees other events.
  const past = useLoad(session.value?.prefix ?? '', loadPastEvents, gapCount.value)
  return (
    <>
      {streamFault.value !== undefined && <Failure error={streamFault.value} />}
      <Show of={past}>
        {({ value: events }) =>
          events.length === 0 ? (
            <p class="soft">Nothing has happened that your key can see.</p>
          ) : (
            <EventList label="Latest events" events={events.slice(0, eventsMax)} />
          )
        }
      </Show>
    </>
  )
}
