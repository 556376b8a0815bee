import type { z } from 'zod'
import type { Scope } from '../api/operation.ts'

/** An event in the log. Its position is (tx, id). */
export interface EventRow {
  id: number
  tx: number
  type: string
  /** The key that owns the event or its cause; null if there is none. */
  key_id: number | null
  /** The id of the cause, if the event's family has one. */
  cause_id: number | null
  /** The key that made the change; null if the service did, or an earlier release. */
  by_key_id: number | null
  /** JSON. */
  data: string
  /** JSON; null if there was no earlier state. */
  previous: string | null
  at: number
}

export interface TracedEventRow extends EventRow {
  /** The `traceparent` of the change; null if no trace was recorded. */
  trace: string | null
}

/** Who may see the events of a family, and what they are about, in words. */
interface Audience {
  readonly scope: Scope
  readonly about: string
  /** If set, a key sees only its own events; with this scope it also sees those of other keys. */
  readonly others?: { readonly scope: Scope; readonly about: string }
}

/** The resource that caused an event of another one. A field of the event contains its id. */
interface Cause {
  readonly field: string
  readonly description: string
  /** Shown to the key that owns the cause, and to other keys with this scope. */
  readonly othersScope: Scope
}

/** The events of one resource. */
export interface EventFamily {
  readonly resource: string
  readonly types: readonly string[]
  /** Types that are sent to webhooks but never in the log. */
  readonly sentOnly?: readonly string[]
  readonly audience: Audience
  readonly data: z.ZodType
  /** An example of the data. */
  readonly example: unknown
  readonly cause?: Cause
}

/** The event types of a resource, by what happened to it: `defineEvents('key', ['created']).created` is `key.created`. */
export const defineEvents = <What extends string>(
  resource: string,
  happenings: readonly What[],
): Readonly<Record<What, string>> =>
  Object.fromEntries(happenings.map((what) => [what, `${resource}.${what}`])) as Record<What, string>
