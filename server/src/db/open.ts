import type { Database } from './database.ts'
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
  /** Whether it is opened to migrate the schema. */
  readonly migrating?: boolean
}

/** Opens a database for a command, while a service may be using it. */
export async function openForCommand({ url, name, migrating = false, ...patience }: OpenOptions): Promise<Database> {
  const path = sqlitePath(url)
  return path === undefined
    ? openPostgres({ url, connectionsMax: 1, applicationName: name, ...patience })
    : openSqlite(path, { migrating })
}
