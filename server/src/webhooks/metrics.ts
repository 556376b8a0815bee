import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { Dispatcher } from './dispatch.ts'

/** Registers the metrics of webhook deliveries. */
export function addWebhookMetrics(metrics: RequestMetrics, { counts }: Pick<Dispatcher, 'counts'>): void {
  const counter = (name: string, help: string, read: () => number) =>
    metrics.add({ name: `petstore_webhook_${name}`, help, kind: 'counter', read })
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.add({ name: `petstore_webhook_${name}`, help, kind: 'gauge', read })
  counter('delivered_total', 'Deliveries made by this node.', () => counts().results.delivered)
  counter('retried_total', 'Failed attempts of this node that will be retried.', () => counts().results.retried)
  counter('given_up_total', 'Deliveries that this node gave up on.', () => counts().results.given_up)
  gauge('under_way', 'Attempts this node is making now.', () => counts().running)
  gauge('waiting', 'Pending deliveries of all nodes, as last counted.', () => counts().waiting)
}
