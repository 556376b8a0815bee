import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { SharedLimiter } from './shared.ts'

/** Metrics of the shared counters: how many calls a statement carries, and how long it takes. */
export function addLimiterMetrics(metrics: RequestMetrics, { stats }: SharedLimiter): void {
  const addCounter = (name: string, help: string, read: () => number) =>
    metrics.add({ name, help, kind: 'counter', read })
  addCounter('petstore_limiter_batches_total', 'Statements sent to the shared counters.', () => stats().batches)
  addCounter('petstore_limiter_calls_total', 'Calls carried by these statements.', () => stats().calls)
  addCounter('petstore_limiter_wait_seconds_total', 'Time these statements took.', () => stats().waitMs / 1000)
  addCounter(
    'petstore_limiter_fallbacks_total',
    'Times this node fell back to its own counters because the shared ones did not respond.',
    () => stats().fallbacks,
  )
  addCounter(
    'petstore_limiter_admitted_alone_total',
    'Requests this node admitted by its own counters; they are added to the shared ones when these are back.',
    () => stats().admittedInFallback,
  )
  metrics.add({
    name: 'petstore_limiter_degraded',
    help: '1 while this node limits by itself because the shared counters do not respond.',
    kind: 'gauge',
    read: () => (stats().isInFallback ? 1 : 0),
  })
}
