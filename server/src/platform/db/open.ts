import type { Reading } from '../lib/database-clock.ts'
import type { Database } from './database.ts'
import type { DatabaseObserver } from './observer.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** The path in a SQLite `DATABASE_URL`; undefined for PostgreSQL. */
export const sqlitePath = (url: string): string | undefined =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined

interface OpenOptions {
  /** As in DATABASE_URL. */
  readonly url: string
  /** The application name that PostgreSQL shows. */
  readonly name: string
  /** How long a statement or a transaction may take, if longer than in a request. */
  readonly patienceMs?: number
}

/** Opens a database for a command, while a service may be using it. */
export async function openForCommand({ url, name, ...patience }: OpenOptions): Promise<Database> {
  const path = sqlitePath(url)
  return path === undefined
    ? openPostgres({ url, connectionsMax: 1, applicationName: name, ...patience })
    : openSqlite(path)
}

const counterConnectionsMax = 2
/** Two for the counters, one that listens, one for key and limit lookups, one for health checks. */
const otherConnections = counterConnectionsMax + 3
/** How many connections are for reads. Fewer than for writes, because concurrent reads share a connection. */
const readersOf = (connectionsMax: number): number => Math.max(1, Math.floor(connectionsMax * 0.3))

interface ServingOptions {
  /** As in DATABASE_URL. */
  readonly url: string
  readonly connectionsMax: number
  /** How large a SQLite file may become. */
  readonly bytesMax: number | undefined
  /** Whether commits to a SQLite file survive a power cut. */
  readonly isSynced: boolean
  readonly onTimeRead: (reading: Reading) => void
  readonly onListenFailure: (error: unknown) => void
  readonly observer: DatabaseObserver
}

/** Opens the database of a service and, on PostgreSQL, separate connections for the counters, which slow queries cannot block. */
export async function openForServing(options: ServingOptions) {
  const { url, connectionsMax, bytesMax, isSynced, onTimeRead, onListenFailure, observer } = options
  const path = sqlitePath(url)
  if (path !== undefined)
    return { db: openSqlite(path, { serving: true, bytesMax, isSynced, observer }), counters: undefined }
  // Opened first and all together: if connections are scarce, the limits must have theirs.
  const counters = await openPostgres({
    url,
    connectionsMax: counterConnectionsMax,
    connectionsNeeded: connectionsMax + otherConnections,
    applicationName: 'petstore-limits',
    isForCounters: true,
    openAll: true,
    isBatched: false,
    onTimeRead,
    observer,
  })
  try {
    const db = await openPostgres({
      url,
      connectionsMax,
      connectionsNeeded: connectionsMax + otherConnections,
      readersMax: readersOf(connectionsMax),
      applicationName: 'petstore',
      onListenFailure,
      observer,
    })
    return { db, counters }
  } catch (error) {
    await counters.close()
    throw error
  }
}
