import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { SharedLimiter } from './shared.ts'

/** Metrics of the shared counters: how many calls a statement carries, and how long it takes. */
export function addLimiterMetrics(metrics: RequestMetrics, { stats }: SharedLimiter): void {
  metrics.add({
    name: 'petstore_limiter_batches_total',
    help: 'Statements sent to the shared counters.',
    kind: 'counter',
    read: () => stats().batches,
  })
  metrics.add({
    name: 'petstore_limiter_calls_total',
    help: 'Calls carried by these statements.',
    kind: 'counter',
    read: () => stats().calls,
  })
  metrics.add({
    name: 'petstore_limiter_wait_seconds_total',
    help: 'Time these statements took.',
    kind: 'counter',
    read: () => stats().waitMs / 1000,
  })
  metrics.add({
    name: 'petstore_limiter_fallbacks_total',
    help: 'Times this node fell back to its own counters because the shared ones did not answer.',
    kind: 'counter',
    read: () => stats().fallbacks,
  })
  metrics.add({
    name: 'petstore_limiter_admitted_alone_total',
    help: 'Requests this node admitted by its own counters; they are added to the shared ones when these are back.',
    kind: 'counter',
    read: () => stats().admittedInFallback,
  })
  metrics.add({
    name: 'petstore_limiter_degraded',
    help: '1 while this node limits by itself because the shared counters do not answer.',
    kind: 'gauge',
    read: () => (stats().isInFallback ? 1 : 0),
  })
}
