import { z } from 'zod'
import { filtersOf } from './catalogue.ts'

/** The shapes of event types and of filters. */
export function createEventShapes(
  logged: readonly string[],
  sentOnly: readonly string[],
  examples: { readonly filter: string; readonly type: string },
) {
  return {
    /** One type, all types of one resource, or all. */
    EventFilter: z.enum(filtersOf(logged)).meta({
      id: 'EventFilter',
      grows: true,
      description: 'An event type, all types of one resource, or all.',
      example: examples.filter,
    }),
    /** Everything that a webhook may get. */
    EventType: z
      .enum([...logged, ...sentOnly])
      .meta({ id: 'EventType', grows: true, description: 'What happened.', example: examples.type }),
  }
}

export type EventShapes = ReturnType<typeof createEventShapes>
