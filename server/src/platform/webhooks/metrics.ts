import type { Metrics, Reading } from '../telemetry/metrics.ts'
import type { Dispatcher } from './dispatch.ts'

/** Registers the metrics of webhook deliveries. */
export function addWebhookMetrics(metrics: Metrics, { counts }: Pick<Dispatcher, 'counts'>): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.add({ name: `petstore_webhook_${name}`, help, kind: 'gauge', read })
  metrics.add({
    name: 'petstore_webhook_attempts_total',
    help: 'Attempts of this node by webhook and result; those of more than a hundred webhooks share the label "other".',
    kind: 'counter',
    labels: ['webhook_id', 'result'],
    read: () =>
      [...counts().byWebhook].flatMap(([webhookId, results]) =>
        Object.entries(results).map(([result, count]): Reading => [count, webhookId, result]),
      ),
  })
  gauge('under_way', 'Attempts this node is making now.', () => counts().running)
  gauge('waiting', 'Pending deliveries of all nodes, as last counted.', () => counts().waiting)
  gauge(
    'oldest_due_seconds',
    'How long the oldest delivery of all nodes has been due, as last read.',
    () => counts().oldestDueMs / 1000,
  )
}
