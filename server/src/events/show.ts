import { eventIdOf } from './position.ts'
import type { EventRow } from './types.ts'

/** An event as clients see it in lists, streams and webhooks. */
export const showEvent = (event: EventRow) => ({
  id: eventIdOf(event),
  type: event.type,
  time: new Date(event.at).toISOString(),
  data: JSON.parse(event.data) as Record<string, unknown>,
  ...(event.previous !== null && { previous: JSON.parse(event.previous) as Record<string, unknown> }),
})

/** The same as JSON text. Streams send many events, so the stored JSON is not parsed. */
export function eventJson({ type, at, data, previous }: EventRow, id: string): string {
  const changed = previous === null ? '' : `,"previous":${previous}`
  return `{"id":"${id}","type":"${type}","time":"${new Date(at).toISOString()}","data":${data}${changed}}`
}
