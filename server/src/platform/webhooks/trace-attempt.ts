import type { Tracer } from '../telemetry/traces/tracer.ts'
import type { Attempt, Message, Unsendable } from './attempt.ts'
import type { DeliveryRow } from './deliveries.ts'

/** Makes an attempt in a span of the trace that caused it, whose `traceparent` is sent to the receiver. */
export const traceAttempt = async (
  tracer: Tracer,
  { webhook_id, event_id }: DeliveryRow,
  message: Message | Unsendable,
  make: (traceparent: string) => Promise<Attempt>,
): Promise<Attempt> => {
  const attributes = { 'petstore.webhook_id': webhook_id, 'petstore.event_id': event_id }
  const parent = ('trace' in message && message.trace) || undefined
  return tracer.run({ name: 'webhook attempt', kind: 'client', parent, attributes }, async (span) => {
    const attempt = await make(span.traceparent)
    const { status } = attempt
    if (status === undefined || status >= 300) span.fail()
    if (status !== undefined) span.set({ 'http.response.status_code': status })
    return attempt
  })
}
