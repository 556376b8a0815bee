import { choicesOf } from '../description.ts'
import { type EventSearch, matchesSearch, searchEvents } from '../event-search.ts'
import { arrivedCount, eventsAfter, keptMax, streamFault } from '../events.ts'
import { useLoad } from '../load.ts'
import { EventList } from '../parts/event-list.tsx'
import { Filter } from '../parts/filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure, Show } from '../parts/states.tsx'
import { ThingFilter } from '../parts/thing-filter.tsx'
import { TimeFilter } from '../parts/time-filter.tsx'
import { useReloadOn } from '../refresh.ts'
import { hrefOf, isFiltered, param } from '../router.ts'

/** Pings are sent to webhooks only. */
const isLogged = (type: string): boolean => type !== 'webhook.ping'

/** What happened in the shop, newest first; new events appear at the top. */
export function Events() {
  const search: EventSearch = { type: param('type'), from: param('from'), to: param('to'), about: param('about') }
  const cursor = param('cursor')
  const page = useLoad(JSON.stringify([search, cursor]), (signal) => searchEvents(search, cursor, signal))
  // The first page is loaded again before what came after it is forgotten.
  useReloadOn(cursor ? 0 : Math.floor(arrivedCount.value / (keptMax / 2)))
  const arrived = cursor
    ? []
    : eventsAfter(page.value.data?.items ?? []).filter((event) => matchesSearch(event, search))
  return (
    <>
      <Heading title="Events" />
      <Filters>
        <Filter
          label="Type"
          name="type"
          choices={choicesOf('EventFilter')
            .filter(isLogged)
            .map((type) => [type, type])}
        />
        <ThingFilter />
        <TimeFilter label="From" name="from" />
        <TimeFilter label="To" name="to" />
      </Filters>
      {streamFault.value !== undefined && <Failure error={streamFault.value} />}
      <Show of={page}>
        {({ items, next }) => (
          <>
            {items.length + arrived.length === 0 ? (
              <Nothing hasMore={next !== undefined} />
            ) : (
              <EventList label="Events, newest first" events={[...arrived, ...items]} />
            )}
            <Pager next={next} count={items.length + arrived.length} />
          </>
        )}
      </Show>
    </>
  )
}

function Nothing({ hasMore }: { hasMore: boolean }) {
  if (hasMore) return <Empty title="None of these events match. There are older ones on the next page." />
  return (
    <Empty title={isFiltered() ? 'No events that your key can see match' : 'Nothing has happened yet'}>
      {isFiltered() ? (
        <a href={hrefOf('/events')}>Show all events</a>
      ) : (
        <p>Events that your key can see appear here as they happen.</p>
      )}
    </Empty>
  )
}
