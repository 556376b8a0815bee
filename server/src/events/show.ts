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
