import type { Database } from '../db/database.ts'
import { eventsRecorded } from '../events/record.ts'
import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { Streams } from './streams.ts'

/** What an operator watches of the events. */
export function addEventMetrics(metrics: RequestMetrics, db: Database, streams: Streams): void {
  let events = 0
  db.listen(eventsRecorded, (count) => {
    events += Number(count)
  })
  metrics.add({
    name: 'petstore_events_recorded_total',
    help: 'Events that this node has recorded.',
    kind: 'counter',
    read: () => events,
  })
  metrics.add({
    name: 'petstore_event_streams',
    help: 'Streams of events that this node has open.',
    kind: 'gauge',
    read: streams.count,
  })
}
