import type { Metrics } from '../telemetry/metrics.ts'
import type { Decision, Limiter } from './limiter.ts'
import type { SharedLimiter } from './shared.ts'

/** Counts what the limiter decides. */
export function countDecisions(metrics: Metrics, limiter: Limiter): Limiter {
  let admitted = 0
  let rejected = 0
  metrics.add({
    name: 'petstore_limiter_decisions_total',
    help: 'Calls that the limits admitted or rejected.',
    kind: 'counter',
    labels: ['decision'],
    read: () => [
      [admitted, 'admitted'],
      [rejected, 'rejected'],
    ],
  })
  const count = (decision: Decision) => {
    if (decision.admitted) admitted++
    else rejected++
  }
  return {
    ...limiter,
    admit(subject, limits, now, cost) {
      const decision = limiter.admit(subject, limits, now, cost)
      if (decision instanceof Promise) void decision.then(count, () => undefined)
      else count(decision)
      return decision
    },
  }
}

/** Metrics of the shared counters: how many calls a statement carries, and how long it takes. */
export function addLimiterMetrics(metrics: Metrics, { stats }: SharedLimiter): void {
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
