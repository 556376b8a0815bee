import type { Reading } from '../lib/database-clock.ts'
import type { Database } from './database.ts'
import type { DatabaseObserver } from './observer.ts'
import { openPostgres } from './postgres.ts'
import { connectionsThatFit, connectionsUsual, divide } from './postgres-connections.ts'
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

const applicationName = 'petstore'

interface ServingOptions {
  /** As in DATABASE_URL and DATABASE_DIRECT_URL. */
  readonly url: string
  readonly directUrl: string | undefined
  /** The most connections of this node in all. By default as many as the server has for each live node, up to `connectionsUsual`. */
  readonly connectionsMax: number | undefined
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
  const { url, directUrl, connectionsMax, bytesMax, isSynced, onTimeRead, onListenFailure, observer } = options
  const path = sqlitePath(url)
  if (path !== undefined) {
    const db = openSqlite(path, { serving: true, bytesMax, isSynced, observer })
    return { db, counters: undefined, fitConnections: async () => undefined }
  }
  const connectionsNeeded = connectionsMax ?? connectionsUsual
  const share = divide(connectionsNeeded)
  const same = { url, directUrl, connectionsNeeded, observer }
  // Opened first and all together: if connections are scarce, the limits must have theirs.
  const counters = await openPostgres({
    ...same,
    connectionsMax: share.counters,
    applicationName: 'petstore-limits',
    isForCounters: true,
    openAll: true,
    isBatched: false,
    onTimeRead,
  })
  try {
    const db = await openPostgres({
      ...same,
      connectionsMax: share.work + share.reads,
      readersMax: share.reads,
      applicationName,
      onListenFailure,
    })
    /** Behind a pooler, the pooler's own pools are the limit, and this node's connections to it cost little. */
    const isFixed = connectionsMax !== undefined || directUrl !== undefined
    const fitConnections = async () => {
      if (isFixed) return
      const share = divide(await connectionsThatFit(db.aside, applicationName))
      counters.resize(share.counters, 0)
      db.resize(share.work + share.reads, share.reads)
    }
    return { db, counters, fitConnections }
  } catch (error) {
    await counters.close()
    throw error
  }
}
