import { recentEvents, streamFault } from '../events.ts'
import { Card } from '../parts/card.tsx'
import { EventList } from '../parts/event-list.tsx'
import { Failure } from '../parts/states.tsx'
import { hrefOf } from '../router.ts'

const eventsMax = 8

/** The latest events, as they happen. */
export const LatestEvents = () => (
  <Card id="latest" title="Latest events" aside={<a href={hrefOf('/events')}>All events</a>}>
    {streamFault.value !== undefined && <Failure error={streamFault.value} />}
    {recentEvents.value.length === 0 ? (
      <p class="soft">No events that your key can see since you opened the console.</p>
    ) : (
      <EventList label="Latest events" events={recentEvents.value.slice(0, eventsMax)} />
    )}
  </Card>
)
