import type { Database } from '../db/database.ts'
import type { Visibility } from '../events/log.ts'
import { eventsRecorded } from '../events/record.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Streams } from './streams.ts'

/** Metrics of events and streams. */
export function addEventMetrics(metrics: Metrics, db: Database, streams: Streams, visibility: Visibility): void {
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
  metrics.add({
    name: 'petstore_event_visibility_lag_seconds',
    help: 'How old the oldest recorded event is that readers cannot see yet, as last read.',
    kind: 'gauge',
    read: () => visibility.lagMs() / 1000,
  })
}
