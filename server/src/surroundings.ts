import type { Invoke } from './platform/api/invoke.ts'
import type { Route } from './platform/api/operation.ts'
import type { Database } from './platform/db/database.ts'
import { type Random, systemRandom } from './platform/lib/random.ts'
import { type Listen, listen } from './surfaces/http/listener.ts'
import type { Observe } from './surfaces/http/response.ts'
import type { SiteLink } from './surfaces/pages/layout.ts'

/** What a host that runs many services in one process replaces. */
export interface Surroundings {
  readonly listen: Listen
  readonly random: Random
  /** Wraps the function that runs an operation. */
  readonly wrap: (invoke: Invoke, route: Route) => Invoke
  readonly observe: Observe | undefined
  /** Called when webhook attempts have ended and are stored. */
  readonly onAttempts: ((db: Database) => Promise<void>) | undefined
  /** How large a SQLite file may become. */
  readonly databaseBytesMax: number | undefined
  /** Whether commits to a SQLite file survive a power cut. */
  readonly databaseIsSynced: boolean
  /** Links to pages that are served in addition to those of the service. */
  readonly links: readonly SiteLink[]
}

/** The surroundings of a service that has its process to itself. */
export const alone: Surroundings = {
  listen,
  random: systemRandom,
  wrap: (invoke) => invoke,
  observe: undefined,
  onAttempts: undefined,
  databaseBytesMax: undefined,
  databaseIsSynced: true,
  links: [],
}
