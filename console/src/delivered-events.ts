import type { Delivery, Event, EventFilter } from '@petstore/sdk'
import { recentEvents } from './events.ts'
import { store } from './session.ts'

// A delivery names its event by id. The events of a page of deliveries mostly happened shortly before them, so one request finds them.
// Events from long before are loaded with their deliveries.

const known = new Map<string, Event | undefined>()
/** A delivery is created when its event is fanned out, normally within a second. */
const fanOutMsMax = 60_000
/** How many events are loaded with their deliveries at a time. */
const loadedMax = 5

/** The events of deliveries by id; one that was not found, or that the key cannot see, is undefined. */
export async function findEvents(
  webhookId: number,
  deliveries: readonly Delivery[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Event | undefined>> {
  for (const event of recentEvents.value) known.set(event.id, event)
  const missing = deliveries.filter(({ eventId, type }) => !known.has(eventId) && type !== 'webhook.ping')
  if (missing.length === 0) return known
  const times = missing.map(({ createdAt }) => Date.parse(createdAt))
  const { items } = await store()
    .events.list(
      {
        sort: '-id',
        limit: 20 + missing.length,
        type: [...new Set(missing.map(({ type }) => type as EventFilter))],
        from: new Date(Math.min(...times) - fanOutMsMax).toISOString(),
        to: new Date(Math.max(...times) + 1).toISOString(),
      },
      { signal },
    )
    .firstPage()
  for (const event of items) known.set(event.id, event)
  for (const { id, eventId } of missing.filter((one) => !known.has(one.eventId)).slice(0, loadedMax)) {
    const { payload } = await store().webhooks.delivery(webhookId, id, { signal })
    known.set(eventId, payload === undefined ? undefined : JSON.parse(payload))
  }
  return known
}
