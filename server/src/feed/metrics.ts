import type { Database } from '../db/database.ts'
import { eventsRecorded } from '../events/record.ts'
import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { Streams } from './streams.ts'

/** Metrics of events and streams. */
export function addEventMetrics(metrics: RequestMetrics, db: Database, streams: Streams): void {
  let events = 0
  db.listen(eventsRecorded, (count) => {
    events += Number(count)
  })
  metrics.add({
    name: 'petstore_events_recorded_total',
    help: 'Events recorded by this node.',
    kind: 'counter',
    read: () => events,
  })
  metrics.add({
    name: 'petstore_event_streams',
    help: 'Event streams that are open on this node.',
    kind: 'gauge',
    read: streams.count,
  })
}
