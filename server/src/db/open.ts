import type { Database } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** The file of a `DATABASE_URL` that names one. */
export const sqlitePath = (url: string): string | undefined =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined

interface Opening {
  /** As in the configuration. */
  readonly url: string
  /** What PostgreSQL shows it as. */
  readonly name: string
  /** How long a statement or a whole transaction may take, where that is longer than a request's. */
  readonly patienceMs?: number
  /** To bring the schema up to date. */
  readonly migrating?: boolean
}

/** Opens a database for a command, beside a service that may be serving it. */
export async function openForCommand({ url, name, migrating = false, ...patience }: Opening): Promise<Database> {
  const path = sqlitePath(url)
  return path === undefined
    ? openPostgres({ url, connectionsMax: 1, applicationName: name, ...patience })
    : openSqlite(path, { migrating })
}
