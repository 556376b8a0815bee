import { z } from 'zod'
import { eventFilters } from './filter.ts'
import { sentTypes } from './types.ts'

/** A filter: one type, all types of one resource, or all. */
export const EventFilterShape = z.enum(eventFilters).meta({
  id: 'EventFilter',
  grows: true,
  description: 'An event type, all types of one resource, or all.',
  example: 'order.*',
})

/** Everything that a webhook may get. */
export const EventTypeShape = z
  .enum(sentTypes)
  .meta({ id: 'EventType', grows: true, description: 'What happened.', example: 'order.placed' })
