import type { ErrorKinds } from '../api/errors.ts'
import type { Operation, Route, Scope } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import type { Table } from '../db/table.ts'
import type { EventFamily } from '../events/types.ts'
import type { Clock } from '../lib/clock.ts'
import { minuteMs } from '../lib/time.ts'

/** A heading of the reference. */
export interface Tag {
  readonly name: string
  readonly description: string
  /** Its navigation group; a tag without a parent is a group and has no operations. */
  readonly parent?: string
  /** What agents call its tools, if it is not the name in lower case. */
  readonly toolset?: string
}

/** Background work. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /** Delay after startup; `everyMs` by default. */
  readonly firstMs?: number
  readonly run: () => Promise<void>
}

/** What the jobs of a feature work with. */
export interface JobParts {
  readonly db: Database
  readonly clock: Clock
}

/** One resource, with everything that the rest of the service has to know about it. */
export interface Feature {
  readonly name: string
  readonly operations?: readonly Operation[]
  readonly routes?: readonly Route[]
  readonly errors?: ErrorKinds
  /** What each of its scopes allows a key to do. */
  readonly scopes?: Readonly<Record<Scope, string>>
  readonly events?: readonly EventFamily[]
  /** A table that refers to another comes after it. */
  readonly tables?: readonly Table[]
  readonly tags?: readonly Tag[]
  readonly jobs?: (parts: JobParts) => readonly Job[]
}

/** Soon, so that a short-lived node cleans up too, but not while it is starting. */
export const cleanupFirstMs = 20_000

/** A job that deletes what is outdated. Uses the settled time, so that a clock that is briefly wrong deletes nothing. */
export const cleanupJob = (name: string, clock: Clock, run: (settled: number) => Promise<void>): Job => ({
  name,
  everyMs: minuteMs,
  firstMs: cleanupFirstMs,
  run: () => run(clock.settled()),
})
