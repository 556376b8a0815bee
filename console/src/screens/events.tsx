import type { EventFilter } from '@petstore/sdk'
import { choicesOf } from '../description.ts'
import { recentEvents, streamFault } from '../events.ts'
import { useLoad } from '../load.ts'
import { EventList } from '../parts/event-list.tsx'
import { Filter } from '../parts/filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure, Show } from '../parts/states.tsx'
import { param } from '../router.ts'
import { store } from '../session.ts'

const matches = (type: string, filter: string): boolean =>
  filter === '' || filter === '*' || type === filter || (filter.endsWith('.*') && type.startsWith(filter.slice(0, -1)))

/** The events of the shop: live, or from the oldest stored one. */
export function Events() {
  const fromOldest = param('from') === 'oldest'
  return (
    <>
      <Heading title="Events" />
      <Filters>
        <Filter label="Type" name="type" choices={choicesOf('EventFilter').map((type) => [type, type])} />
        <Filter label="Which events" name="from" otherwise="live" choices={[['oldest', 'from the oldest']]} />
      </Filters>
      {fromOldest ? <StoredEvents /> : <LiveEvents />}
    </>
  )
}

function LiveEvents() {
  const events = recentEvents.value.filter(({ type }) => matches(type, param('type')))
  return (
    <>
      {streamFault.value !== undefined && <Failure error={streamFault.value} />}
      {events.length === 0 ? (
        <Empty title="Listening">
          <p>Events that your key can see appear here as they happen.</p>
        </Empty>
      ) : (
        <div aria-live="polite">
          <EventList label="Events, newest first" events={events} />
        </div>
      )}
    </>
  )
}

function StoredEvents() {
  const [type, cursor] = ['type', 'cursor'].map(param)
  const page = useLoad(`${type} ${cursor}`, (signal) =>
    store()
      .events.list(
        { ...(type && { type: [type as EventFilter] }), ...(cursor && { after: cursor }), limit: 50 },
        { signal },
      )
      .firstPage(),
  )
  return (
    <Show of={page}>
      {({ items, next }) => (
        <>
          {items.length === 0 ? (
            <Empty title="No events that your key can see match" />
          ) : (
            <EventList label="Events, oldest first" events={items} />
          )}
          <Pager next={next} count={items.length} />
        </>
      )}
    </Show>
  )
}
