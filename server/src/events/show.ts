import type { EventRow } from '../db/tables.ts'
import { idOf } from './place.ts'

/** An event as clients see it, whichever way it comes to them. */
export const showEvent = (event: EventRow) => ({
  id: idOf(event),
  type: event.type,
  time: new Date(event.at).toISOString(),
  data: JSON.parse(event.data) as Record<string, unknown>,
  ...(event.previous !== null && { previous: JSON.parse(event.previous) as Record<string, unknown> }),
})

/** The same as JSON, without parsing what is stored as JSON: streams send many. */
export function eventJson({ type, at, data, previous }: EventRow, id: string): string {
  const changed = previous === null ? '' : `,"previous":${previous}`
  return `{"id":"${id}","type":"${type}","time":"${new Date(at).toISOString()}","data":${data}${changed}}`
}
