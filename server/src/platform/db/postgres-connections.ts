import type { Queryable } from './database.ts'

/** How the connections of a node are divided. */
interface Share {
  readonly counters: number
  readonly reads: number
  readonly work: number
}

/** One that listens, one for lookups of keys and limits, one for health checks. */
const besides = 3
export const connectionsMin = 6
/** For a node, unless it is given a number or the server has too few. */
export const connectionsUsual = 15
/** The share of the server's connections for nodes; the others are for administration and for nodes that are just starting. */
const shareOfNodes = 0.9

export function divide(connections: number): Share {
  const counters = connections < 10 ? 1 : 2
  const rest = connections - besides - counters
  // Fewer for reads, because concurrent reads share a connection.
  const reads = Math.max(1, Math.floor(rest * 0.3))
  return { counters, reads, work: rest - reads }
}

/** The application name of the connection that listens. Each node has one, so their number is the number of nodes. */
export const listenerOf = (applicationName: string): string => `${applicationName}-listens`

/** The connections that nodes may use, which a role or a database may limit further, and how many nodes there are. */
const selectUsable = `SELECT
  least(current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
      - coalesce(current_setting('reserved_connections', true)::bigint, 0),
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
    (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS usable,
  (SELECT count(*) FROM pg_stat_activity WHERE application_name = $1) AS nodes`

/** How many connections each of the live nodes may use. */
export async function connectionsThatFit(db: Queryable, applicationName: string): Promise<number> {
  const [row] = await db.query<{ usable: number; nodes: number }>(selectUsable, [listenerOf(applicationName)])
  const { usable, nodes } = row as { usable: number; nodes: number }
  const each = Math.floor((usable * shareOfNodes) / Math.max(1, nodes))
  return Math.max(connectionsMin, Math.min(connectionsUsual, each))
}
