import type { RequestMetrics } from '../telemetry/metrics.ts'
import type { Dispatcher } from './dispatch.ts'

/** What whoever watches the service sees of webhooks. */
export function addWebhookMetrics(metrics: RequestMetrics, { counts }: Pick<Dispatcher, 'counts'>): void {
  const counter = (name: string, help: string, read: () => number) =>
    metrics.add({ name: `petstore_webhook_${name}`, help, kind: 'counter', read })
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.add({ name: `petstore_webhook_${name}`, help, kind: 'gauge', read })
  counter('delivered_total', 'Deliveries that this node made.', () => counts().outcomes.delivered)
  counter('retried_total', 'Attempts of this node that failed and are made again.', () => counts().outcomes.retried)
  counter('given_up_total', 'Deliveries that this node gave up.', () => counts().outcomes['given up'])
  gauge('under_way', 'Attempts that this node makes now.', () => counts().underWay)
  gauge('waiting', 'Deliveries that nodes will still make, as last counted.', () => counts().waiting)
}
