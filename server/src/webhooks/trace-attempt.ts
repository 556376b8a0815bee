import type { Tracer } from '../telemetry/traces/tracer.ts'
import type { Attempt } from './attempt.ts'
import type { DeliveryRow } from './deliveries.ts'

/** Makes an attempt in a span, whose `traceparent` is sent to the receiver. */
export const traceAttempt = async (
  tracer: Tracer,
  { webhook_id, event_id }: DeliveryRow,
  make: (traceparent: string) => Promise<Attempt>,
): Promise<Attempt> => {
  const attributes = { 'petstore.webhook_id': webhook_id, 'petstore.event_id': event_id }
  return tracer.run({ name: 'webhook attempt', kind: 'client', attributes }, async (span) => {
    const attempt = await make(span.traceparent)
    const { status } = attempt
    if (status === undefined || status >= 300) span.fail()
    if (status !== undefined) span.set({ 'http.response.status_code': status })
    return attempt
  })
}
